extension Page {
    /// Adds new messages as they come, keeps the other pages fresh, and says times and days as the reader's clock does.
    static let script = #"""
        "use strict";
        (() => {
          const state = document.getElementById("state");
          const dayClock = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

          function sayMoments(within) {
            for (const time of within.querySelectorAll("time[data-day]")) {
              time.title = time.dateTime;
              time.textContent = dayClock.format(new Date(time.dateTime));
            }
          }

          function lost() {
            const dot = state.querySelector(".state");
            if (!dot) return;
            dot.className = "state lost";
            dot.querySelector("b").textContent = "Connection lost, trying again …";
            dot.querySelector(".doing").textContent = "";
          }

          sayMoments(document);

          // Pages of figures are read anew while somebody looks at them; what has not changed is left alone, so that
          // nothing moves and nothing is read out twice.
          const page = document.getElementById("page");
          if (page && "refreshes" in page.dataset) {
            let before = null;
            const every = 15000;
            const isBusy = () => {
              const active = document.activeElement;
              return (active && page.contains(active) && active !== page) || String(getSelection()) !== "";
            };
            const refresh = async () => {
              if (document.hidden) return;
              try {
                const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
                if (!answer.ok) return;
                const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
                const [says, main] = [fresh.getElementById("state"), fresh.getElementById("page")];
                if (!says || !main) return;
                if (says.textContent !== state.textContent) state.innerHTML = says.innerHTML;
                if (main.innerHTML === before || isBusy()) return;
                before = main.innerHTML;
                const open = [...page.querySelectorAll("details")].map((one) => one.open);
                page.innerHTML = before;
                page.querySelectorAll("details").forEach((one, index) => { one.open = open[index] === true; });
                sayMoments(page);
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

          const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
          const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
          const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });

          // The first time of a card is that of its latest message; one of another day says its day, too.
          function sayTimes(message) {
            let day = null;
            for (const time of message.querySelectorAll("time")) {
              const at = new Date(time.dateTime);
              day ??= calendar.format(at);
              time.textContent = (calendar.format(at) === day ? clock : dayClock).format(at);
              time.title = full.format(at) + " (" + time.dateTime + ")";
            }
          }

          function drawDays() {
            for (const line of list.querySelectorAll(".day")) line.remove();
            let last = "";
            for (const message of list.querySelectorAll(".message")) {
              const day = calendar.format(new Date(message.querySelector("time").dateTime));
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
            sayTimes(message);
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

          function listen() {
            const messages = list.querySelectorAll(".message");
            // Cards stand in the order of their latest messages, whose ids they have.
            const last = messages.length ? messages[messages.length - 1].id.slice(2) : "";
            const events = new EventSource("events" + (last ? "?after=" + encodeURIComponent(last) : ""));
            events.addEventListener("message", (event) => show(event.lastEventId, event.data));
            events.addEventListener("health", (event) => { state.innerHTML = event.data; });
            events.addEventListener("error", () => {
              lost();
              // Browsers try again by themselves, except after a refusal such as "too many pages are open".
              if (events.readyState === EventSource.CLOSED) setTimeout(listen, 10000);
            });
          }

          room.addEventListener("scroll", () => { if (isAtBottom()) newest.hidden = true; });
          newest.addEventListener("click", () => { room.scrollTop = 0; newest.hidden = true; });
          document.addEventListener("visibilitychange", () => {
            if (document.hidden) return;
            unread = 0;
            document.title = title;
          });

          for (const message of list.querySelectorAll(".message")) sayTimes(message);
          drawDays();
          listen();
        })();

        """#
}
