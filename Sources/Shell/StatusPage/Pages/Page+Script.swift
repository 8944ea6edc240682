extension Page {
    /// Adds new messages as they come, keeps the other pages fresh, and says when the bot cannot be reached.
    static let script = #"""
        "use strict";
        (() => {
          const state = document.getElementById("state");

          // Times are the bot's, as in its messages; the reader's own are a hint.
          const own = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

          function hintTimes(within) {
            for (const time of within.querySelectorAll("time")) time.title = own.format(new Date(time.dateTime));
          }

          // Part by part and only where it differs: the word is read out when it changes, and only then.
          function say(tone, word, doing) {
            const shown = state.querySelector(".state");
            if (!shown) return;
            shown.className = tone;
            for (const [part, text] of [["b", word], [".doing", doing]]) {
              const place = shown.querySelector(part);
              if (place.textContent !== text) place.textContent = text;
            }
          }

          function sayState(fresh) {
            if (fresh) say(fresh.className, fresh.querySelector("b").textContent, fresh.querySelector(".doing").textContent);
          }

          const lost = () => say("state lost", "Connection lost, trying again …", "");

          hintTimes(document);

          // Pages of figures are read anew while somebody looks at them.
          const page = document.getElementById("page");
          if (page && "refreshes" in page.dataset) {
            let held = 0;
            const every = 15000;
            const patience = 8000;
            const heldMax = 4;
            // What somebody types or selects would be gone; but what is forgotten on a screen must not stop the page.
            const isBusy = () => {
              const active = document.activeElement;
              const types = active && page.contains(active) && active.matches("input, select, textarea");
              const selection = getSelection();
              const selects = selection && !selection.isCollapsed && page.contains(selection.anchorNode);
              held = types || selects ? held + 1 : 0;
              return held > 0 && held <= heldMax;
            };
            const name = (one) => one.getAttribute("aria-label") || one.href || one.name || one.textContent;
            // What has not changed is left alone, so that nothing moves and nothing is read out twice; most of what has are
            // words, such as ages, and change where they stand.
            const renew = (old, fresh) => {
              if (old.isEqualNode(fresh)) return;
              const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
              if (old.nodeType === Node.TEXT_NODE && fresh.nodeType === Node.TEXT_NODE) old.data = fresh.data;
              else if (before.length > 0 && before.length === after.length && old.cloneNode().isEqualNode(fresh.cloneNode()))
                before.forEach((one, index) => renew(one, after[index]));
              else old.replaceWith(fresh);
            };
            const show = (main) => {
              const shifts = [...page.querySelectorAll(".wide")].map((one) => one.scrollLeft);
              const active = page.contains(document.activeElement) ? document.activeElement : null;
              const focused = active && name(active);
              renew(page, main);
              page.querySelectorAll(".wide").forEach((one, index) => { one.scrollLeft = shifts[index] || 0; });
              if (!active || page.contains(active)) return;
              const heir = [...page.querySelectorAll(active.tagName)].find((one) => name(one) === focused);
              if (!heir) return;
              if ("value" in active) heir.value = active.value;
              heir.focus({ preventScroll: true });
            };
            const refresh = async () => {
              if (document.hidden) return;
              try {
                const signal = AbortSignal.timeout(patience);
                const answer = await fetch(location.href, { headers: { Accept: "text/html" }, signal });
                const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
                // The bot itself says that this page is gone; all else that is no page of ours comes from in between.
                if (answer.status === 404 && fresh.querySelector("main.notice")) return location.reload();
                const [says, main] = [fresh.querySelector("#state .state"), fresh.getElementById("page")];
                if (!answer.ok || !says || !main) return lost();
                sayState(says);
                const open = [...page.querySelectorAll("details")].map((one) => one.open);
                main.querySelectorAll("details").forEach((one, index) => { one.open = open[index] === true; });
                hintTimes(main);
                if (!page.isEqualNode(main) && !isBusy()) show(main);
              } catch { lost(); }
            };
            setInterval(refresh, every);
            document.addEventListener("visibilitychange", refresh);
          }

          const room = document.getElementById("room");
          if (!room) return;
          const list = document.getElementById("messages");
          const empty = document.getElementById("empty");
          const newest = document.getElementById("newest");
          const news = document.getElementById("news");
          const title = document.title;
          const messagesMax = 500;
          let unread = 0;

          // The newest message is at the bottom and the room is turned over, so its bottom is 0 and up is negative.
          const isAtBottom = () => room.scrollTop > -80;

          function drawDays() {
            for (const line of list.querySelectorAll(".day")) line.remove();
            let last = "";
            for (const message of list.querySelectorAll(".message")) {
              const day = message.dataset.day;
              if (day !== last) {
                const line = document.createElement("li");
                line.className = "day";
                line.appendChild(document.createElement("span")).textContent = day;
                message.before(line);
                last = day;
              }
            }
          }

          function show(id, html) {
            if (document.getElementById("m-" + id)) return;
            const wasAtBottom = isAtBottom();
            const template = document.createElement("template");
            template.innerHTML = html;
            const message = template.content.querySelector(".message");
            if (!message) return;
            message.classList.add("arriving");
            hintTimes(message);
            // News of an incident moves its card to the end; what somebody has unfolded stays so.
            const story = message.dataset.story;
            const before = story && [...list.children].find((one) => one.dataset.story === story);
            if (before) {
              const unfolded = before.querySelector("details[open]");
              const folded = message.querySelector("details");
              if (unfolded && folded) folded.open = true;
            }
            const hadFocus = before && before.contains(document.activeElement);
            if (before) before.remove();
            list.append(message);
            if (hadFocus) message.querySelector(".when").focus({ preventScroll: true });
            news.textContent = message.querySelector(".kind").textContent + ": " + message.querySelector("h2").textContent;
            const all = list.querySelectorAll(".message");
            for (let index = 0; index < all.length - messagesMax; index += 1) all[index].remove();
            drawDays();
            empty.hidden = true;
            if (wasAtBottom) room.scrollTop = 0; else newest.hidden = false;
            if (document.hidden) {
              unread += 1;
              document.title = "(" + unread + ") " + title;
            }
          }

          // A stream that is silent for longer than two signs of life is dead, whatever the browser thinks of it.
          const silenceMax = 40000;

          function listen() {
            const messages = list.querySelectorAll(".message");
            // Cards stand in the order of their latest messages, whose ids they have.
            const last = messages.length ? messages[messages.length - 1].id.slice(2) : "";
            const events = new EventSource("events" + (last ? "?after=" + encodeURIComponent(last) : ""));
            const again = () => { events.close(); listen(); };
            let watchdog = 0;
            const alive = () => {
              clearTimeout(watchdog);
              watchdog = setTimeout(() => { lost(); again(); }, silenceMax);
            };
            events.addEventListener("message", (event) => { alive(); show(event.lastEventId, event.data); });
            events.addEventListener("alive", alive);
            events.addEventListener("health", (event) => {
              alive();
              const template = document.createElement("template");
              template.innerHTML = event.data;
              sayState(template.content.querySelector(".state"));
            });
            events.addEventListener("error", () => {
              lost();
              // Browsers try again by themselves, except after a refusal such as "too many pages are open".
              if (events.readyState !== EventSource.CLOSED) return;
              clearTimeout(watchdog);
              setTimeout(again, 10000);
            });
            alive();
          }

          room.addEventListener("scroll", () => { if (isAtBottom()) newest.hidden = true; });
          newest.addEventListener("click", () => { room.scrollTop = 0; newest.hidden = true; });
          document.addEventListener("visibilitychange", () => {
            if (document.hidden) return;
            unread = 0;
            document.title = title;
          });

          drawDays();
          listen();
        })();

        """#
}
