// Ways in which a vendor library can harm the program that loads it. One MISBEHAVE_… is defined per library built.
#ifndef ENVDOCTOR_TESTS_MISBEHAVE_H
#define ENVDOCTOR_TESTS_MISBEHAVE_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// Called where a real library talks to its kernel driver: in its init.
static void misbehave(void) {
#if defined(MISBEHAVE_abort)
  abort();
#elif defined(MISBEHAVE_segfault)
  *(volatile int *)8 = 1;
#elif defined(MISBEHAVE_hang)
  signal(SIGTERM, SIG_IGN);
  for (;;) pause();
#elif defined(MISBEHAVE_exit)
  exit(0);
#elif defined(MISBEHAVE_print)
  for (int i = 0; i < 40000; ++i) {
    static const char line[] = "a driver that has much to say about nothing, in both streams, over and over\n";
    (void)!write(1, line, sizeof line - 1);
    (void)!write(2, line, sizeof line - 1);
  }
#elif defined(MISBEHAVE_eat)
  for (;;) {
    char *block = malloc(8 << 20);
    if (block) memset(block, 1, 8 << 20);
    usleep(1000);  // so that a test machine without a limit survives
  }
#elif defined(MISBEHAVE_grandchild)
  if (fork() == 0) {  // holds every descriptor of its parent for a while
    sleep(20);
    _exit(0);
  }
#endif
}

#if defined(MISBEHAVE_constructor)
__attribute__((constructor)) static void on_load(void) { abort(); }
#endif

// Text into a caller's buffer.
static void put(char *out, unsigned size, const char *text) {
#if defined(MISBEHAVE_overrun)
  (void)size, (void)text;
  memset(out, 'x', 1 << 20);
#elif defined(MISBEHAVE_nonsense)
  (void)text;
  memset(out, 0xff, size);
  out[0] = '\n';
#else
  snprintf(out, size, "%s", text);
#endif
}

#endif
