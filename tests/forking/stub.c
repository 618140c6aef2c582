/* A Python that is there at once: has a process forked by the zygote in the place of `python -m ...`.
 *
 * The zygote's socket lies beside it, and is called `z`.
 * It hands on its three streams, folder, environment and words, and ends as the forked process ends.
 * If it is killed, the zygote sees its socket end and kills that process.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

extern char **environ;

static void put(FILE *text, const char *word) { fwrite(word, 1, strlen(word) + 1, text); }

int main(int count, char **words) {
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    ssize_t end = readlink("/proc/self/exe", place.sun_path, sizeof place.sun_path);
    if (end <= 0 || end == sizeof place.sun_path) return 120;
    for (place.sun_path[end] = 0; place.sun_path[end - 1] != '/'; end--) place.sun_path[end - 1] = 0;
    place.sun_path[end] = 'z';
    int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line < 0 || connect(line, (void *)&place, sizeof place)) return 121;

    /* Number of words, words, folder, environment; each ended by a zero. */
    char *request, folder[4096];
    size_t size;
    FILE *text = open_memstream(&request, &size);
    fprintf(text, "%d", count), fputc(0, text);
    for (int i = 0; i < count; i++) put(text, words[i]);
    put(text, getcwd(folder, sizeof folder) ? folder : "/");
    for (char **one = environ; *one; one++) put(text, *one);
    fclose(text);

    unsigned length = (unsigned)size;
    char room[CMSG_SPACE(3 * sizeof(int))] = {0};
    struct iovec part = {&length, sizeof length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET, head->cmsg_type = SCM_RIGHTS, head->cmsg_len = CMSG_LEN(3 * sizeof(int));
    memcpy(CMSG_DATA(head), (int[]){0, 1, 2}, 3 * sizeof(int));
    if (sendmsg(line, &message, 0) < 0) return 122;
    for (size_t done = 0; done < size;) {
        ssize_t more = write(line, request + done, size - done);
        if (more <= 0) return 123;
        done += more;
    }
    /* What is held here would keep pipes open after the process has closed them. */
    close(0), close(1), close(2);

    int status;
    if (read(line, &status, sizeof status) != sizeof status) return 124;
    if (status < 0) {
        signal(-status, SIG_DFL);
        kill(getpid(), -status);
    }
    return status & 0xFF;
}
