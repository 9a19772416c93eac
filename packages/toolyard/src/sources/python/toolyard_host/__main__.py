"""Started by path, `python3 -u toolyard_host file.py`: makes the package importable, then gives the path back."""
import os
import sys

if __name__ == "__main__":
    if sys.version_info < (3, 9):
        version = "%d.%d" % sys.version_info[:2]
        sys.exit("Python 3.9 or later is needed, and %s is %s; name another with `python`" % (sys.executable, version))
    # Python put this folder first; a user's `import result` must never find the host's own files there.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    from toolyard_host.host import main

    del sys.path[0]
    main(sys.argv[1:])
