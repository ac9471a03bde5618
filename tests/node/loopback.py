"""HTTP servers of the tests, with TLS or without."""

import http.server
import ssl
import threading


def serve(handler, pair=None, address=("127.0.0.1", 0)):
    """Starts a server in a thread of its own. `pair` has the files of certificate and key; they can be replaced at any time
    by what is loaded into the server's `context`, which is None without TLS."""
    server = http.server.ThreadingHTTPServer(address, handler)
    server.context, server.daemon_threads = None, True
    if pair:
        server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.context.load_cert_chain(*pair)
        # Handshakes belong to the connection's own thread: one that fails must not hold up, or end, the others.
        server.socket = server.context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.url = f"{'https' if pair else 'http'}://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Quiet(http.server.BaseHTTPRequestHandler):
    """Logs no request."""

    def log_message(self, *arguments):
        pass
