// A tracer: runs a command, and does something to it at one of its system calls that change files.

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

func init() { programs["traced"] = traced }

// mutating are the system calls that change files, by what tells which file: "fd" is the first argument, and "path" is
// any other. Calls on pipes and devices are not among those that count.
var mutating = map[uint64]string{
	syscall.SYS_WRITE: "fd", syscall.SYS_PWRITE64: "fd", syscall.SYS_WRITEV: "fd", syscall.SYS_PWRITEV: "fd",
	syscall.SYS_SENDFILE: "fd", syscall.SYS_SPLICE: "fd", 326: "fd", // copy_file_range, whose first is the source
	syscall.SYS_RENAME: "path", syscall.SYS_RENAMEAT: "path", 316: "path", // renameat2
	syscall.SYS_LINK: "path", syscall.SYS_LINKAT: "path", syscall.SYS_SYMLINK: "path", syscall.SYS_SYMLINKAT: "path",
	syscall.SYS_UNLINK: "path", syscall.SYS_UNLINKAT: "path", syscall.SYS_RMDIR: "path",
	syscall.SYS_MKDIR: "path", syscall.SYS_MKDIRAT: "path",
	syscall.SYS_FSYNC: "fd", syscall.SYS_FDATASYNC: "fd", syscall.SYS_SYNC_FILE_RANGE: "fd",
	syscall.SYS_FTRUNCATE: "fd", syscall.SYS_TRUNCATE: "path", syscall.SYS_FALLOCATE: "fd", syscall.SYS_FLOCK: "fd",
	syscall.SYS_FCHMOD: "fd", syscall.SYS_FCHMODAT: "path", syscall.SYS_CHMOD: "path",
	syscall.SYS_FCHOWN: "fd", syscall.SYS_FCHOWNAT: "path", syscall.SYS_UTIMENSAT: "path",
	syscall.SYS_SETXATTR: "path", syscall.SYS_FSETXATTR: "fd", syscall.SYS_REMOVEXATTR: "path",
	syscall.SYS_IOCTL: "clone", syscall.SYS_OPENAT: "open",
}

// traced is the command "traced ACTION N COMMAND...". It carries out an action at the N-th call that changes files:
// "kill" before it, "killed" after it, "interrupt" and "hangup" send SIGINT and SIGHUP before it, "hold" prints a
// line and reads one. It prints how many such calls there were, and ends with the code of the command.
func traced() {
	runtime.LockOSThread() // all requests of ptrace come from one thread
	n, err := strconv.Atoi(os.Args[2])
	path, found := exec.LookPath(os.Args[3])
	if err != nil || found != nil {
		fmt.Fprintln(os.Stderr, err, found)
		os.Exit(125)
	}
	p, err := os.StartProcess(path, os.Args[3:], &os.ProcAttr{
		Files: []*os.File{nil, os.Stderr, os.Stderr}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	t := &tracer{pid: p.Pid, action: os.Args[1], at: n, inside: make(map[int]bool)}
	code := t.run()
	fmt.Printf("calls %d\n", t.calls)
	os.Exit(code)
}

// A tracer traces one process and its threads.
type tracer struct {
	pid    int
	action string
	at     int // the call that counts
	calls  int
	inside map[int]bool // threads in a system call
	after  int          // the thread whose call must end first
}

// Constants of ptrace(2) and wait(2).
const (
	traceOptions = syscall.PTRACE_O_TRACESYSGOOD | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEFORK |
		syscall.PTRACE_O_TRACEVFORK | 0x100000 // PTRACE_O_EXITKILL
	waitAll    = 0x40000000 // __WALL
	systemCall = syscall.SIGTRAP | 0x80
)

// run traces the process to its end, and returns its exit code.
func (t *tracer) run() int {
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.pid, &status, 0, nil); err != nil {
		return 125
	}
	if err := syscall.PtraceSetOptions(t.pid, traceOptions); err != nil {
		fmt.Println("no ptrace:", err)
		return 125
	}
	_ = syscall.PtraceSyscall(t.pid, 0)
	for {
		pid, err := syscall.Wait4(-1, &status, waitAll, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 125
		case status.Exited() && pid == t.pid:
			return status.ExitStatus()
		case status.Signaled() && pid == t.pid:
			return 128 + int(status.Signal())
		case !status.Stopped():
			continue
		}
		signal := 0
		switch stopped := status.StopSignal(); stopped {
		case systemCall:
			t.call(pid)
		case syscall.SIGTRAP, syscall.SIGSTOP: // a new thread
		default:
			signal = int(stopped)
		}
		_ = syscall.PtraceSyscall(pid, signal)
	}
}

// call is called when a thread enters or leaves a system call.
func (t *tracer) call(pid int) {
	if t.inside[pid] = !t.inside[pid]; !t.inside[pid] {
		if t.after == pid {
			syscall.Kill(t.pid, syscall.SIGKILL)
		}
		return
	}
	var r syscall.PtraceRegs
	if syscall.PtraceGetRegs(pid, &r) != nil || !changes(pid, &r) {
		return
	}
	if t.calls++; t.calls-1 != t.at {
		return
	}
	switch t.action {
	case "kill":
		syscall.Kill(t.pid, syscall.SIGKILL)
	case "killed":
		t.after = pid
	case "interrupt":
		syscall.Kill(t.pid, syscall.SIGINT)
	case "hangup":
		syscall.Kill(t.pid, syscall.SIGHUP)
	case "hold":
		fmt.Println("held")
		bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

// changes reports whether a call changes a file.
func changes(pid int, r *syscall.PtraceRegs) bool {
	const cloneFile, cloneRange = 0x40049409, 0x4020940d
	switch kind := mutating[r.Orig_rax]; {
	case kind == "":
		return false
	case kind == "path":
		return true
	case kind == "open":
		return r.Rdx&(syscall.O_CREAT|syscall.O_TRUNC) != 0
	case kind == "clone" && r.Rsi != cloneFile && r.Rsi != cloneRange:
		return false
	}
	file, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(r.Rdi)))
	return err == nil && strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "/dev/") &&
		!strings.HasPrefix(file, "/proc/")
}
