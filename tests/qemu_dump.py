#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""qemu_dump.py CORE PAGING SECONDS QEMU... - runs QEMU, and after so many
seconds has it write its memory to CORE (dump-guest-memory, with addresses of
the guest's page tables if PAGING is 1)."""
import json
import socket
import subprocess
import sys
import time


class Monitor:
    """QEMU's, by its machine protocol."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw")
        self.file.readline()
        self.run("qmp_capabilities")

    def run(self, command, **arguments):
        self.file.write(json.dumps({"execute": command,
                                    "arguments": arguments}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "error" in answer:
                raise SystemExit(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]


def connect(process):
    for _ in range(100):
        if process.poll() is not None:
            raise SystemExit("QEMU ended")
        try:
            return Monitor("monitor")
        except OSError:
            time.sleep(0.1)
    raise SystemExit("QEMU has no monitor")


def main(core, paging, seconds, *command):
    with open("serial", "w", encoding="ascii") as serial:
        process = subprocess.Popen(
            [*command, "-qmp", "unix:monitor,server=on,wait=off"],
            stdout=serial, stdin=subprocess.DEVNULL)
    try:
        monitor = connect(process)
        time.sleep(float(seconds))
        monitor.run("stop")
        monitor.run("dump-guest-memory", paging=paging == "1",
                    protocol=f"file:{core}")
    finally:
        process.kill()
        process.wait()


main(*sys.argv[1:])
