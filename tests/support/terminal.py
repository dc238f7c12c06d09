"""Types steps into a program on a new terminal. A step is what is typed and what has to be seen afterwards before the
next is typed (null: the end). Prints everything that came, and the first step whose text did not come."""
import json, os, pty, select, signal, sys, time, fcntl, termios, struct
steps, argv = json.loads(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execvp(argv[0], argv)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
everything, missing = b"", None
def wait(text, seconds=40):
    """Waits for a text; with None, for the end."""
    global everything
    seen, end, quiet = b"", time.time() + seconds, 0
    while time.time() < end:
        if select.select([fd], [], [], 0.05)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                return text is None
            if not data:
                return text is None
            # fish asks what terminal this is.
            if b"\x1b[c" in data or b"\x1b[0c" in data:
                os.write(fd, b"\x1b[?62c")
            seen += data
            everything += data
            quiet = 0
        elif text is not None and text in seen:
            # Line editors draw a prompt more than once: wait until nothing moves.
            quiet += 1
            if quiet == 8:
                return True
    return text is not None and text in seen
wait(b"READY")
for typed, seen in steps:
    os.write(fd, typed.encode())
    if not wait(None if seen is None else seen.encode()):
        missing = [typed, seen]
        break
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
sys.stdout.buffer.write(everything)
print("\nMISSING %s" % json.dumps(missing))
