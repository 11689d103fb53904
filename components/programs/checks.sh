#!/bin/bash
# Checks of one node's GPUs: checks.sh devices|diagnostics|collective|slices|share. One line goes to $RESULT: why it
# failed, or what was measured or found. GPUS: how many GPUs or slices there must be; FABRIC: `registered` where
# NVSwitches must have taken the GPUs in; PROFILE: of the MIG slices that the container has, empty where it has GPUs;
# BY: the field of nvidia-smi that a GPU is named by.
set -u
profile=${PROFILE:-} by=${BY:-index} host=() engine=()

fail() {
    printf '%s' "${1:0:380}" >"$RESULT"
    exit 1
}

cool() {
    local found index heat margin hot="" list="nvidia-smi --format=csv,noheader,nounits --query-gpu=$by,temperature.gpu"
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

fabric() {
    local index state status off="" why=""
    [[ $FABRIC == registered ]] || return 0
    while IFS=, read -r index state status; do
        state=${state# } status=${status# }
        [[ $state == Completed && $status == Success ]] || { off+=" $index" why="$state, $status"; }
    done < <(nvidia-smi --query-gpu="$by",fabric.state,fabric.status --format=csv,noheader)
    [[ -z $off ]] || fail "the fabric manager has not taken in GPU$off: $why"
}

devices() {
    local found
    found=$(nvidia-smi --query-gpu=index --format=csv,noheader 2>&1) || fail "nvidia-smi: ${found%%$'\n'*}"
    ((GPUS == $(wc -l <<<"$found"))) || fail "nvidia-smi lists $(wc -l <<<"$found") of $GPUS GPUs"
    cool
    fabric
}

# A container sees the MIG devices that it was given and no others. NVLinks are not looked at: a GPU with MIG on has no
# use for them.
slices() {
    local found count
    found=$(nvidia-smi -L 2>&1) || fail "nvidia-smi: ${found%%$'\n'*}"
    count=$(grep -cF "MIG $profile " <<<"$found")
    ((GPUS == count)) || fail "nvidia-smi lists $count of $GPUS slices $profile"
    cool
}

# One share of a GPU or slice. Other containers of the pod have shares too, and its network: a host engine each, on a
# socket.
share() {
    local unit=GPU
    ((GPUS = 1))
    if [[ -n $profile ]]; then
        slices
        unit=MIG
    else
        devices
        engine=(--domain-socket /tmp/podwright.socket) host=(--host unix:///tmp/podwright.socket)
        ((LEVEL == 0)) || diagnostics
    fi
    [[ $(nvidia-smi -L) =~ UUID:\ ($unit-[^\)]+) ]] || fail "nvidia-smi lists no UUID"
    printf 'uuid=%s' "${BASH_REMATCH[1]}" >"$RESULT"
}

diagnostics() {
    local text code bad
    if ! dcgmi discovery "${host[@]}" -l >/dev/null 2>&1; then
        text=$(nv-hostengine "${engine[@]}" --pid /tmp/nv-hostengine.pid --log-filename /tmp/nv-hostengine.log 2>&1) ||
            fail "nv-hostengine: $text"
    fi
    text=$(dcgmi diag "${host[@]}" -r "$LEVEL" 2>&1)
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
