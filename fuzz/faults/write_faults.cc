// SPDX-License-Identifier: Apache-2.0
// write_faults N COMMAND...: runs a command whose N-th system call that changes a file (write and
// its variants, rename, fsync, ftruncate, link) fails with "no space left on device"; with N+ all
// later ones, too. N = 0: none fails. Writes a line "COUNT FD" to file descriptor 3: how many there
// were, and on which descriptor the first failed (-1: none, -2: a call without one). Exits as the
// command does. Linux 5.5.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct Call {
  int number;
  bool has_descriptor;
};
constexpr Call kCalls[] = {{SYS_write, true},     {SYS_pwrite64, true},   {SYS_writev, true},
                           {SYS_fsync, true},     {SYS_ftruncate, true},  {SYS_fdatasync, true},
#ifdef SYS_rename
                           {SYS_rename, false},
#endif
                           {SYS_renameat, false}, {SYS_renameat2, false}, {SYS_linkat, false}};

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  _exit(125);
}

// Asks the other process about the calls above; returns the descriptor on which it does.
int InstallFilter() {
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const Call& call : kCalls) {
    program.push_back(
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call.number), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) Fail("PR_SET_NO_NEW_PRIVS");
  const long fd =
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
  if (fd < 0) Fail("seccomp");
  return static_cast<int>(fd);
}

void SendDescriptor(int socket, int fd) {
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(int));
  if (sendmsg(socket, &message, 0) < 0) Fail("sendmsg");
}

int ReceiveDescriptor(int socket) {
  char byte;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0) Fail("recvmsg");
  int fd;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 125;
  char* rest;
  const long failing = std::strtol(argv[1], &rest, 10);
  const bool all_later = *rest == '+';
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) Fail("socketpair");
  const pid_t child = fork();
  if (child < 0) Fail("fork");
  if (child == 0) {
    close(3);
    const int listener = InstallFilter();
    SendDescriptor(sockets[1], listener);
    close(listener);
    execvp(argv[2], argv + 2);
    Fail(argv[2]);
  }
  close(sockets[1]);
  const int listener = ReceiveDescriptor(sockets[0]);
  long count = 0;
  long failed_on = -1;
  for (;;) {
    pollfd ready = {listener, POLLIN, 0};
    if (poll(&ready, 1, -1) < 0 && errno != EINTR) Fail("poll");
    if ((ready.revents & POLLIN) == 0) {
      if ((ready.revents & (POLLHUP | POLLERR)) != 0) break;  // no process has the filter any more
      continue;
    }
    seccomp_notif request = {};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) continue;
    ++count;
    const bool fails = failing > 0 && (all_later ? count >= failing : count == failing);
    seccomp_notif_resp response = {};
    response.id = request.id;
    if (fails) {
      response.error = -ENOSPC;
      if (failed_on == -1) {
        failed_on = -2;
        for (const Call& call : kCalls) {
          if (call.number == request.data.nr && call.has_descriptor)
            failed_on = static_cast<long>(request.data.args[0]);
        }
      }
    } else {
      response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
  }
  int status = 0;
  waitpid(child, &status, 0);
  dprintf(3, "%ld %ld\n", count, failed_on);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  // Ends as the command did.
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 125;
}
