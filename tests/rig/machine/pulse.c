// SPDX-License-Identifier: MIT
/*
 * pulse - notes how much of its time one CPU of this machine was not given.
 *
 *	pulse CPU FILE
 *
 * Every TICK on that CPU it looks how late it was woken, and how long a piece
 * of WORK then takes. It appends lines to FILE, in ns of CLOCK_MONOTONIC:
 *	CPU FROM UNTIL LOST
 * A late waking is a line of its own, all of it lost. Of the rest of every
 * SPELL a line tells the share that the work took longer than it does as a
 * rule (its running median): a host that runs this CPU for a few milliseconds
 * here and there never stands still for long, and halves its speed.
 *
 * SCHED_FIFO 45 is above every program of the test, the toggler (40) included,
 * and below the interrupt threads (50), which are done in microseconds. So what
 * is lost here was not taken by a program in this machine: the host did not run
 * this CPU, or did not let its timer through.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PRIORITY 45
#define TICK_NS 5000000LL
#define LATE_NS 5000000LL
#define SPELL_NS 100000000LL
#define WORTH_NS 5000000LL
#define WORK_NS 100000LL /* about so long it is to take */

static void die(const char *what)
{
	fprintf(stderr, "pulse: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t work(long rounds)
{
	int64_t began_ns = now_ns();
	volatile long sum = 0;
	long i;

	for (i = 0; i < rounds; i++)
		sum += i;
	return now_ns() - began_ns;
}

static long rounds_for(int64_t wanted_ns)
{
	int64_t best_ns = INT64_MAX;
	int i;

	for (i = 0; i < 50; i++) {
		int64_t took_ns = work(1000);

		if (took_ns < best_ns)
			best_ns = took_ns;
	}
	return 1000 * wanted_ns / (best_ns > 0 ? best_ns : 1) + 1;
}

static void note(int file, int cpu, int64_t from_ns, int64_t until_ns, int64_t lost_ns)
{
	char line[128];
	int length = snprintf(line, sizeof(line), "%d %lld %lld %lld\n", cpu, (long long)from_ns, (long long)until_ns,
			      (long long)lost_ns);

	if (write(file, line, length) != length)
		die("write");
}

static void beat(int file, int cpu)
{
	long rounds = rounds_for(WORK_NS);
	int64_t median_ns = work(rounds), spell_ns = now_ns(), took_ns = 0, late_ns = 0, count = 0;

	for (;;) {
		int64_t due_ns = now_ns() + TICK_NS, ran_ns, piece_ns;
		struct timespec t = { due_ns / 1000000000LL, due_ns % 1000000000LL };

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
			;
		ran_ns = now_ns();
		if (ran_ns - due_ns >= LATE_NS) {
			note(file, cpu, due_ns, ran_ns, ran_ns - due_ns);
			late_ns += ran_ns - due_ns;
		}
		piece_ns = work(rounds);
		median_ns += piece_ns > median_ns ? median_ns / 100 : -(median_ns / 100);
		took_ns += piece_ns;
		count++;
		if (ran_ns - spell_ns >= SPELL_NS) {
			int64_t rest_ns = ran_ns - spell_ns - late_ns, share = 1000 - 1000 * count * median_ns / took_ns;

			if (share > 0 && rest_ns * share / 1000 >= WORTH_NS)
				note(file, cpu, spell_ns, ran_ns, rest_ns * share / 1000);
			spell_ns = ran_ns;
			took_ns = late_ns = count = 0;
		}
	}
}

int main(int argc, char **argv)
{
	struct sched_param priority = { .sched_priority = PRIORITY };
	cpu_set_t cpus;
	int cpu, file;

	if (argc != 3) {
		fprintf(stderr, "usage: pulse CPU FILE\n");
		return 2;
	}
	cpu = atoi(argv[1]);
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (file < 0)
		die(argv[2]);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("affinity");
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("SCHED_FIFO");
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	beat(file, cpu);
}
