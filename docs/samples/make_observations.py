#!/usr/bin/env python3
"""Writes bad-release.jsonl: a quiet day of one app, then a release that crashes, then its fix.

The file is kept beside this script, so that nobody needs Python to use it.
"""
import json
import math
import random
from datetime import datetime, timedelta, timezone
from pathlib import Path

random.seed(20261120)
step = timedelta(minutes=30)
start = datetime(2026, 11, 19, 20, 0, tzinfo=timezone.utc)
bad, fixed = datetime(2026, 11, 20, 19, 0, tzinfo=timezone.utc), datetime(2026, 11, 20, 22, 0, tzinfo=timezone.utc)
end = datetime(2026, 11, 21, 0, 0, tzinfo=timezone.utc)


def text(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


lines = []
moment = start
while moment < end:
    hour = (moment.hour + 1) % 24
    users = int(1600 + 1100 * math.sin((hour - 9) / 24 * 2 * math.pi) + random.gauss(0, 40))
    rate = 0.0028 if not bad <= moment < fixed else 0.0172
    crashed = sum(random.random() < rate for _ in range(users))
    sessions = int(users * 2.2)
    line = {
        "source": "ios", "app": "shop-ios", "environment": "production",
        "from": text(moment), "to": text(moment + step), "seen": text(moment + step + timedelta(seconds=30)),
        "metrics": {"users": users, "crashed_users": crashed, "sessions": sessions,
                    "crashed_sessions": int(crashed * 1.3)},
    }
    if bad <= moment < fixed:
        line["issues"] = [
            {"id": "SHOP-12", "title": "NullPointerException in CartView.onCheckout", "events": int(crashed * 1.6),
             "users": crashed - 3, "first_seen": "2026-11-20T19:04:11Z", "release": "5.2.0", "status": "unresolved",
             "url": "https://sentry.io/organizations/shop/issues/12/"},
            {"id": "SHOP-7", "title": "IllegalStateException: fragment not attached", "events": 4, "users": 3,
             "first_seen": "2026-10-02T08:00:00Z", "status": "unresolved",
             "url": "https://sentry.io/organizations/shop/issues/7/"},
        ]
    lines.append(json.dumps(line))
    moment += step
Path(__file__).with_name("bad-release.jsonl").write_text("\n".join(lines) + "\n")
