"""Runs a mail server of aiosmtpd on loopback until it is ended.

    mail.py FOLDER PORT starttls|tls|plain

FOLDER has server-both.pem. A user `bot` with the password `s3cret` may send, over TLS. Every mail that is taken is a line
of JSON in FOLDER/mails.jsonl. What happens depends on whom a mail is for:

    gone@...    does not exist
    busy@...    is taken the second time
    simple@...  takes no HTML
    lost@...    has the mail taken, and the connection cut before the answer, the first time
"""

import asyncio
import json
import pathlib
import signal
import ssl
import sys

from aiosmtpd.controller import UnthreadedController
from aiosmtpd.smtp import AuthResult, LoginPassword


class Handler:
    def __init__(self, folder):
        self.folder = folder
        self.seen = set()

    def is_first(self, word, envelope):
        if not any(address.startswith(word) for address in envelope.rcpt_tos) or word in self.seen:
            return False
        self.seen.add(word)
        return True

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("gone@"):
            return "550 5.1.1 no such user here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.is_first("busy@", envelope):
            return "451 4.7.1 greylisted, come again"
        if any(address.startswith("simple@") for address in envelope.rcpt_tos) and b"text/html" in envelope.content:
            return "554 5.6.0 no HTML here"
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "tls": session.ssl is not None or isinstance(server.transport.get_extra_info("ssl_object"), ssl.SSLObject),
            "user": session.auth_data.login.decode() if session.auth_data else None,
            "message": envelope.content.decode("ascii"),
        }
        with open(self.folder / "mails.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(mail) + "\n")
        if self.is_first("lost@", envelope):
            server.transport.abort()
            return "421 gone"
        return "250 2.0.0 queued"


def authenticate(server, session, envelope, mechanism, data):
    is_right = isinstance(data, LoginPassword) and (data.login, data.password) == (b"bot", b"s3cret")
    return AuthResult(success=is_right, handled=False, auth_data=data)


async def main(folder, port, mode):
    context = None
    if mode != "plain":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(folder / "server-both.pem")
    controller = UnthreadedController(
        Handler(folder),
        hostname="127.0.0.1",
        port=port,
        loop=asyncio.get_running_loop(),
        ssl_context=context if mode == "tls" else None,
        tls_context=context if mode == "starttls" else None,
        require_starttls=mode == "starttls",
        authenticator=authenticate,
        auth_required=mode != "plain",
        # Of a connection that is TLS from the first byte aiosmtpd does not know that it is.
        auth_require_tls=mode == "starttls",
    )
    controller.server = await controller._create_server()
    print(json.dumps({"port": port}), flush=True)
    await controller.server.serve_forever()


# Whoever starts it may ignore the signal that ends it, and what is started inherits that.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
asyncio.run(main(pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
