// SPDX-License-Identifier: MIT
/*
 * toggler - plays a script of contacts on a simulated GPIO chip.
 *
 *	toggler CHIP_DIRECTORY [PRIORITY]
 *
 * Standard input, one command a line:
 *	T_US LINE LEVEL	 at T_US microseconds after "go", let LINE read LEVEL
 *			 (0: contact closed, pulled down; 1: open, pulled up)
 *	go		 play what was given since then, distances never shortened
 *	go on time	 play it by the clock
 * Standard output, after each of these:
 *	LINE LEVEL BEFORE_NS AFTER_NS	for each write, in order
 *	played COUNT
 * BEFORE and AFTER are CLOCK_MONOTONIC around the write: the edge happened
 * somewhere between them, and nobody needs to know the machine's speed to
 * judge a time stamp by that.
 *
 * With "go", waiting is relative: a write that comes late moves all later
 * ones, so the distance from one write's end to the next one's start is never
 * shorter than the script's, however busy the machine is. With "go on time" a
 * late write moves nothing but itself.
 *
 * The default priority, SCHED_FIFO 40, is above every ordinary program and
 * below the interrupt threads (50), which must be able to preempt it.
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

#define LINES 64
#define DEFAULT_PRIORITY 40
#define SPIN_NS 300000 /* sleep until here, then watch the clock: a timer is later than this only under load */

struct step {
	int64_t at_us;
	int line, level;
	int64_t before_ns, after_ns;
};

static struct step *steps;
static size_t step_count, step_room;
static int pull_file[LINES];
static const char *chip_directory;

static void die(const char *what)
{
	fprintf(stderr, "toggler: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void wait_until(int64_t target_ns)
{
	int64_t wake_ns = target_ns - SPIN_NS;

	if (wake_ns > now_ns()) {
		struct timespec t = { wake_ns / 1000000000LL, wake_ns % 1000000000LL };

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
			;
	}
	while (now_ns() < target_ns)
		;
}

static int pull_file_of(int line)
{
	char path[512];

	if (line < 0 || line >= LINES) {
		fprintf(stderr, "toggler: no line %d\n", line);
		exit(2);
	}
	if (pull_file[line] == 0) {
		snprintf(path, sizeof(path), "%s/sim_gpio%d/pull", chip_directory, line);
		pull_file[line] = open(path, O_WRONLY | O_CLOEXEC);
		if (pull_file[line] < 0)
			die(path);
	}
	return pull_file[line];
}

static void take(struct step *step)
{
	const char *pull = step->level ? "pull-up" : "pull-down";
	int file = pull_file_of(step->line);

	step->before_ns = now_ns();
	if (pwrite(file, pull, strlen(pull), 0) < 0)
		die("write");
	step->after_ns = now_ns();
}

static void play(int on_time)
{
	int64_t start_ns = now_ns(), done_us = 0, done_ns = start_ns;
	size_t i;

	for (i = 0; i < step_count; i++) {
		if (on_time)
			wait_until(start_ns + steps[i].at_us * 1000);
		else
			wait_until(done_ns + (steps[i].at_us - done_us) * 1000);
		take(&steps[i]);
		done_us = steps[i].at_us;
		done_ns = steps[i].after_ns;
	}
	for (i = 0; i < step_count; i++)
		printf("%d %d %lld %lld\n", steps[i].line, steps[i].level, (long long)steps[i].before_ns,
		       (long long)steps[i].after_ns);
	printf("played %zu\n", step_count);
	fflush(stdout);
	step_count = 0;
}

static void add(const char *command)
{
	struct step step = { 0 };
	long long at_us;

	if (sscanf(command, "%lld %d %d", &at_us, &step.line, &step.level) != 3) {
		fprintf(stderr, "toggler: not a step: %s", command);
		exit(2);
	}
	step.at_us = at_us;
	pull_file_of(step.line); /* open before time matters */
	if (step_count == step_room) {
		step_room = step_room ? 2 * step_room : 4096;
		steps = realloc(steps, step_room * sizeof(*steps));
		if (!steps)
			die("memory");
	}
	steps[step_count++] = step;
}

int main(int argc, char **argv)
{
	struct sched_param priority = { .sched_priority = DEFAULT_PRIORITY };
	char command[128];

	if (argc < 2) {
		fprintf(stderr, "usage: toggler CHIP_DIRECTORY [PRIORITY]\n");
		return 2;
	}
	chip_directory = argv[1];
	if (argc > 2)
		priority.sched_priority = atoi(argv[2]);
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		die("SCHED_FIFO");
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		die("mlockall");
	while (fgets(command, sizeof(command), stdin)) {
		if (!strcmp(command, "go\n"))
			play(0);
		else if (!strcmp(command, "go on time\n"))
			play(1);
		else
			add(command);
	}
	return 0;
}
