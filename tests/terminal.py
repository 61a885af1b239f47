# SPDX-License-Identifier: GPL-3.0-or-later
"""terminal.py COMMAND... - prints what the command says to a terminal."""
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
try:
    while chunk := os.read(fd, 4096):
        said += chunk
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.write(said.decode().replace("\r", ""))
