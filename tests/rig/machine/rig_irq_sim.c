// SPDX-License-Identifier: GPL-2.0
/*
 * Debian's kernel is built without the interrupt simulator that gpio-sim
 * needs, so the rig compiles the kernel's own irq_sim.c next to gpio-sim.
 * Two things in it do not suit a module, and are bent here instead of
 * editing the source:
 *
 *  - irq_to_desc() is not exported; generic_handle_irq() does the same.
 *  - its loop resumes the search for pending lines where it stopped. If a
 *    second CPU raises a lower line meanwhile, it never finds that line and
 *    spins for ever. Searching from the start ends, and serves the lower
 *    line first, as the Pi's controller does.
 */
#include <linux/bitmap.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_sim.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/slab.h>

#define irq_to_desc(irq) (irq)
#define handle_simple_irq(irq) generic_handle_irq(irq)
#undef find_next_bit
#define find_next_bit(map, size, offset) find_first_bit(map, size)

#include "irq_sim.c"
