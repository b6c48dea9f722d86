// SPDX-License-Identifier: GPL-2.0
/*
 * rig_pwm - a PWM chip that drives nothing.
 *
 * Debian's kernel simulates none, and the piezo's driver talks to the kernel's
 * own PWM files: their checks, their permissions and udev's events are what
 * the rig must have. What was asked of the chip is told by the kernel's trace
 * event pwm:pwm_apply, with its time, so nothing is recorded here.
 */
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pwm.h>

#define CHANNELS 2	/* as many as a Raspberry Pi's chip has */

static struct platform_device *device;

static int rig_pwm_apply(struct pwm_chip *chip, struct pwm_device *pwm,
			 const struct pwm_state *state)
{
	return 0;
}

static const struct pwm_ops rig_pwm_ops = {
	.owner = THIS_MODULE,
	.apply = rig_pwm_apply,
};

static struct pwm_chip rig_pwm_chip = {
	.ops = &rig_pwm_ops,
	.npwm = CHANNELS,
};

static int __init rig_pwm_init(void)
{
	int error;

	device = platform_device_register_simple("rig-pwm",
						 PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	rig_pwm_chip.dev = &device->dev;
	error = pwmchip_add(&rig_pwm_chip);
	if (error)
		platform_device_unregister(device);
	return error;
}
module_init(rig_pwm_init);

static void __exit rig_pwm_exit(void)
{
	pwmchip_remove(&rig_pwm_chip);
	platform_device_unregister(device);
}
module_exit(rig_pwm_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A PWM chip that drives nothing");
