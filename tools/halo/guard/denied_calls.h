// The system calls that a running program never needs, by purpose. Numbers that an architecture
// lacks are left out.
#ifndef TOOLS_HALO_GUARD_DENIED_CALLS_H_
#define TOOLS_HALO_GUARD_DENIED_CALLS_H_

#include <sys/syscall.h>

namespace halo::tool {

inline constexpr int kDeniedCalls[] = {
    // the network, and another way to reach every other call
    SYS_socket,
    SYS_io_uring_setup,
    // other programs
    SYS_execve,
    SYS_execveat,
    // other processes; a process signals itself by tgkill
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
#ifndef HALO_SANITIZED  // the leak check at exit stops the threads by it
    SYS_ptrace,
#endif
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    // attributes of files, which Landlock does not restrict
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_utimensat,
#ifdef SYS_chmod
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
    // the machine
    SYS_open_by_handle_at,
    SYS_mount,
    SYS_umount2,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_init_module,
    SYS_finit_module,
    SYS_kexec_load,
    SYS_reboot,
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_GUARD_DENIED_CALLS_H_
