"""Run the command line as `python -m judgeprobe`."""

from judgeprobe.cli.app import main

if __name__ == "__main__":
    main()
