// SPDX-License-Identifier: Apache-2.0
// Addresses of this machine.
#include "xla/distributed/address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla/base/status_macros.h"

namespace xla::distributed {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

absl::StatusOr<Addresses> Look(const std::string& host, const std::string& port) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no address of \"", host, "\": ", gai_strerror(error)));
  }
  return Addresses(found, &freeaddrinfo);
}

std::string TextOf(const sockaddr* address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, text,
              sizeof(text));
  } else if (address->sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, text,
              sizeof(text));
  }
  return text;
}

struct HostAndPort {
  std::string host, port = "9";  // discard: nothing is sent
};

HostAndPort Divide(absl::string_view peer) {
  HostAndPort divided;
  const size_t colon = peer.rfind(':');
  if (absl::StartsWith(peer, "[")) {
    const size_t bracket = peer.find(']');
    divided.host = std::string(
        peer.substr(1, bracket == absl::string_view::npos ? absl::string_view::npos : bracket - 1));
    if (bracket != absl::string_view::npos && bracket + 1 < peer.size() && peer[bracket + 1] == ':')
      divided.port = std::string(peer.substr(bracket + 2));
  } else if (colon != absl::string_view::npos && peer.find(':') == colon) {
    divided.host = std::string(peer.substr(0, colon));
    divided.port = std::string(peer.substr(colon + 1));
  } else {
    divided.host = std::string(peer);
  }
  return divided;
}

// The addresses of interfaces that are up; of one, if a name is given.
std::vector<std::string> InterfaceAddresses(absl::string_view interface) {
  std::vector<std::string> v4, v6;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    if (!interface.empty() && interface != entry->ifa_name) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family == AF_INET) v4.push_back(TextOf(entry->ifa_addr));
    // Those of a link only need its number to be reached.
    if (family == AF_INET6 && !absl::StartsWith(TextOf(entry->ifa_addr), "fe80"))
      v6.push_back(TextOf(entry->ifa_addr));
  }
  freeifaddrs(list);
  v4.insert(v4.end(), v6.begin(), v6.end());
  return v4;
}

}  // namespace

bool IsLoopback(absl::string_view address) {
  return absl::StartsWith(address, "127.") || address == "::1" ||
         absl::StartsWith(address, "::ffff:127.") || address == "localhost";
}

absl::StatusOr<std::string> AddressTowards(absl::string_view peer) {
  const HostAndPort divided = Divide(peer);
  XLA_ASSIGN_OR_RETURN(const Addresses found, Look(divided.host, divided.port));
  std::string loopback;
  for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
    const int socket = ::socket(one->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket < 0) continue;
    sockaddr_storage own = {};
    socklen_t bytes = sizeof(own);
    const bool is_known = connect(socket, one->ai_addr, one->ai_addrlen) == 0 &&
                          getsockname(socket, reinterpret_cast<sockaddr*>(&own), &bytes) == 0;
    close(socket);
    if (!is_known) continue;
    const std::string text = TextOf(reinterpret_cast<const sockaddr*>(&own));
    if (text.empty()) continue;
    if (!IsLoopback(text)) return text;
    if (loopback.empty()) loopback = text;
  }
  if (loopback.empty())
    return absl::UnavailableError(absl::StrCat("there is no route to \"", peer, "\""));
  // A name of this machine itself, as on the host of the coordinator, says nothing of others; an
  // address of loopback does.
  if (IsLoopback(divided.host)) return loopback;
  const std::string any = AnyAddress();
  return IsLoopback(any) ? loopback : any;
}

std::string AnyAddress() {
  for (const std::string& address : InterfaceAddresses("")) {
    if (!IsLoopback(address)) return address;
  }
  return "127.0.0.1";
}

absl::StatusOr<std::string> ResolveAddress(absl::string_view address) {
  if (address.empty()) return AnyAddress();
  const std::vector<std::string> of_interface = InterfaceAddresses(address);
  if (!of_interface.empty()) return of_interface[0];
  XLA_ASSIGN_OR_RETURN(const Addresses found, Look(std::string(address), "9"));
  return TextOf(found->ai_addr);
}

absl::Status CheckReachable(absl::Span<const std::string> addresses,
                            absl::Span<const std::string> boot_ids,
                            absl::Span<const std::string> names) {
  for (size_t a = 0; a < addresses.size(); ++a) {
    if (!IsLoopback(addresses[a])) continue;
    for (size_t b = 0; b < addresses.size(); ++b) {
      if (boot_ids[a] == boot_ids[b]) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          names[a], " is to be reached at ", addresses[a], ", which ", names[b],
          " on another host cannot reach: set the option process_address to an address or network "
          "interface that it can"));
    }
  }
  return absl::OkStatus();
}

}  // namespace xla::distributed
