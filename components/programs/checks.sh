#!/bin/bash
# Checks of one node's GPUs: checks.sh devices|diagnostics|collective. One line goes to $RESULT: why it failed, or
# what was measured. GPUS: how many there must be; FABRIC: `registered` where NVSwitches must have taken the GPUs in.
set -u

fail() {
    printf '%s' "${1:0:380}" >"$RESULT"
    exit 1
}

cool() {
    local found index heat margin hot="" list="nvidia-smi --format=csv,noheader,nounits --query-gpu=index,temperature.gpu"
    # Older drivers do not know how far a GPU is from its limit.
    found=$($list,temperature.gpu.tlimit 2>&1) || found=$($list 2>&1) || fail "nvidia-smi: ${found%%$'\n'*}"
    while IFS=, read -r index heat margin; do
        heat=${heat// /} margin=${margin// /}
        if [[ $margin =~ ^-?[0-9]+$ ]]; then
            ((margin < 5)) && hot+=" GPU $index at $heat °C, $margin below its limit;"
        elif [[ $heat =~ ^[0-9]+$ ]] && ((heat >= HOT)); then
            hot+=" GPU $index at $heat °C, the limit is $HOT;"
        fi
    done <<<"$found"
    [[ -z $hot ]] || fail "too hot:${hot%;}"
}

devices() {
    local found index state status off="" why=""
    found=$(nvidia-smi --query-gpu=index --format=csv,noheader 2>&1) || fail "nvidia-smi: ${found%%$'\n'*}"
    ((GPUS == $(wc -l <<<"$found"))) || fail "nvidia-smi lists $(wc -l <<<"$found") of $GPUS GPUs"
    cool
    [[ $FABRIC == registered ]] || return 0
    while IFS=, read -r index state status; do
        state=${state# } status=${status# }
        [[ $state == Completed && $status == Success ]] || { off+=" $index" why="$state, $status"; }
    done < <(nvidia-smi --query-gpu=index,fabric.state,fabric.status --format=csv,noheader)
    [[ -z $off ]] || fail "the fabric manager has not taken in GPU$off: $why"
}

diagnostics() {
    local text code bad
    if ! dcgmi discovery -l >/dev/null 2>&1; then
        text=$(nv-hostengine --pid /tmp/nv-hostengine.pid --log-filename /tmp/nv-hostengine.log 2>&1) ||
            fail "nv-hostengine: $text"
    fi
    text=$(dcgmi diag -r "$LEVEL" 2>&1)
    code=$?
    printf '%s\n' "$text"
    # DCGM 3 has a row for a test, DCGM 4 one for each GPU below it; explanations have the word as well.
    bad=$(grep -E '\| *(GPU ?[0-9]+: *)?Fail' <<<"$text" | tr -s ' |-' ' ' | tr '\n' ';')
    bad=${bad// ;/;} bad=${bad%;}
    ((code == 0)) && [[ -z $bad ]] || fail "dcgmi diag -r $LEVEL ended with $code:${bad:- ${text##*$'\n'}}"
}

collective() {
    local text code
    text=$(all_reduce_perf -b 1G -e 4G -f 2 -g "$GPUS" 2>&1)
    code=$?
    printf '%s\n' "$text"
    ((code == 0)) || fail "all_reduce_perf ended with $code: $(grep -m 1 -i 'error\|fail' <<<"$text")"
    [[ $text =~ Out\ of\ bounds\ values\ :\ 0\ OK ]] || fail "all_reduce_perf has wrong values"
    [[ $text =~ Avg\ bus\ bandwidth\ *:\ *([0-9.]+) ]] || fail "all_reduce_perf reports no bandwidth"
    text=${BASH_REMATCH[1]}
    cool
    printf 'gbytes=%s' "$text" >"$RESULT"
}

"$1"
