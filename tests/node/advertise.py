"""advertise.py INTERFACE LIFETIME PREFIX: sends one router advertisement (RFC 4861, 4.2) that makes the sender a default router
for LIFETIME seconds and offers the /64 PREFIX for addresses."""

import socket
import struct
import sys

ROUTER_ADVERTISEMENT, PREFIX_INFORMATION = 134, 3
ON_LINK, AUTONOMOUS = 0x80, 0x40


def advertisement(lifetime, prefix):
    # The kernel fills in the checksum, the third field.
    header = struct.pack("!BBHBBHII", ROUTER_ADVERTISEMENT, 0, 0, 64, 0, lifetime, 0, 0)
    option = struct.pack("!BBBBIII", PREFIX_INFORMATION, 4, 64, ON_LINK | AUTONOMOUS, 7200, 3600, 0)
    return header + option + socket.inet_pton(socket.AF_INET6, prefix)


def main():
    interface, lifetime, prefix = sys.argv[1:]
    sender = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    # Receivers drop what may have crossed a router.
    sender.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    sender.sendto(advertisement(int(lifetime), prefix), ("ff02::1", 0, 0, socket.if_nametoindex(interface)))


if __name__ == "__main__":
    main()
