#include "BareLoop.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct post {
    CURL *easy;
    struct curl_slist *headers;
};

static size_t forget(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

// Only the headers differ from message to message.
static void begin(CURLM *multi, struct post *post, int number) {
    char id[64];
    snprintf(id, sizeof id, "webhook-id: msg_%d", number);
    curl_slist_free_all(post->headers);
    post->headers = curl_slist_append(NULL, "Content-Type: application/json");
    post->headers = curl_slist_append(post->headers, id);
    curl_easy_setopt(post->easy, CURLOPT_HTTPHEADER, post->headers);
    curl_multi_add_handle(multi, post->easy);
}

int bare_loop_post(const char *url, int count, int bytes, int at_once) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)at_once);
    struct post *posts = calloc((size_t)at_once, sizeof *posts);
    char *body = malloc((size_t)bytes);
    memset(body, 'x', (size_t)bytes);
    int begun = 0, ended = 0, taken = 0;
    for (int index = 0; index < at_once && begun < count; index++) {
        CURL *easy = curl_easy_init();
        posts[index].easy = easy;
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)bytes);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, forget);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, &posts[index]);
        begin(multi, &posts[index], ++begun);
    }
    while (ended < count) {
        int running = 0, left = 0;
        if (curl_multi_perform(multi, &running) != CURLM_OK) break;
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            if (message->msg != CURLMSG_DONE) continue;
            struct post *post = NULL;
            long status = 0;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&post);
            curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
            taken += status == 200;
            ended++;
            curl_multi_remove_handle(multi, post->easy);
            if (begun < count) begin(multi, post, ++begun);
        }
        if (ended < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (int index = 0; index < at_once && posts[index].easy != NULL; index++) {
        curl_easy_cleanup(posts[index].easy);
        curl_slist_free_all(posts[index].headers);
    }
    curl_multi_cleanup(multi);
    free(posts);
    free(body);
    return taken;
}
