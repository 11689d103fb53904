"""Reads options as `accelerate launch` does, and prints what torch's launcher is given, as JSON.

After huggingface/accelerate, src/accelerate/commands/launch.py (options; one machine unless given) and
src/accelerate/utils/launch.py (prepare_multi_gpu_env): with several machines processes are divided among them, and
the endpoint is the main process's. No variable of the environment takes the place of one of these options.
"""

import argparse
import json
import sys


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(prog="accelerate launch")
    for name, default in {"num_machines": 1, "num_processes": 8, "machine_rank": 0, "max_restarts": 0}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    for name, text in {"main_process_ip": None, "main_process_port": "29500", "rdzv_backend": "static"}.items():
        parser.add_argument(f"--{name}", default=text)
    for name in ("multi_gpu", "use_fsdp", "use_deepspeed"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("training_script")
    parser.add_argument("training_script_args", nargs=argparse.REMAINDER)
    found = parser.parse_args(sys.argv[1:])
    print(json.dumps({
        "members": [found.num_machines, found.num_machines], "processes": found.num_processes // found.num_machines,
        "backend": found.rdzv_backend, "endpoint": f"{found.main_process_ip}:{found.main_process_port}", "id": "none",
        "restarts": found.max_restarts, "member": found.machine_rank,
        "program": [found.training_script, *found.training_script_args],
    }))  # fmt: skip


if __name__ == "__main__":
    main()
