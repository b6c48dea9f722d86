// SPDX-License-Identifier: GPL-2.0
/*
 * rig_i2c - an I2C bus with one listener that remembers all it was told.
 *
 * The rig needs an adapter that (1) accepts plain i2c_rdwr transfers, which
 * i2c-stub refuses, (2) keeps every byte with the time it was sent, so that
 * a picture can be rebuilt afterwards, (3) can lose its display and get it
 * back, and (4) can take as long as a real bus does.
 *
 * Reading /dev/rig_i2c yields the log, a sequence of records:
 *	u64 start_ns	CLOCK_MONOTONIC when the transfer began
 *	u64 end_ns	CLOCK_MONOTONIC when it ended (bus time included)
 *	u16 address	7-bit address
 *	u16 refused	1 if nobody answered (the bytes were still recorded)
 *	u32 length	number of bytes that follow
 *	u8[length]	the bytes
 * all in host byte order. Writing anything to it empties the log.
 *
 * Parameters (/sys/module/rig_i2c/parameters):
 *	nack		1: the display is unplugged
 *	speed_hz	bit rate to imitate; 0: as fast as the CPU goes
 */
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#define LOG_BYTES (32 << 20)	/* a match of whole frames is some 5 MB */
#define BITS_PER_BYTE_ON_WIRE 9	/* eight data bits and the acknowledge */

struct log_record {
	u64 start_ns;
	u64 end_ns;
	u16 address;
	u16 refused;
	u32 length;
} __packed;

static bool nack;
module_param(nack, bool, 0644);
static uint speed_hz;
module_param(speed_hz, uint, 0644);
static ushort display_address = 0x3c;
module_param(display_address, ushort, 0644);
static int bus_number = 1;
module_param(bus_number, int, 0444);

static u8 *log_bytes;
static size_t log_length;
static u64 log_lost;
static DEFINE_MUTEX(log_lock);

static void remember(const struct log_record *record, const u8 *bytes)
{
	size_t needed = sizeof(*record) + record->length;

	mutex_lock(&log_lock);
	if (log_length + needed <= LOG_BYTES) {
		memcpy(log_bytes + log_length, record, sizeof(*record));
		memcpy(log_bytes + log_length + sizeof(*record), bytes,
		       record->length);
		log_length += needed;
	} else if (!log_lost++) {
		pr_err("rig_i2c: the log is full, transfers are being lost\n");
	}
	mutex_unlock(&log_lock);
}

static void spend_bus_time(u32 byte_count, bool answered)
{
	u64 bits;

	if (!speed_hz)
		return;
	/* the address byte comes first; unanswered, nothing follows it */
	bits = (answered ? 1 + (u64)byte_count : 1) * BITS_PER_BYTE_ON_WIRE;
	fsleep(div_u64(bits * USEC_PER_SEC, speed_hz));
}

static int transfer_one(struct i2c_msg *msg)
{
	bool answered = !nack && msg->addr == display_address;
	struct log_record record = {
		.start_ns = ktime_get_ns(),
		.address = msg->addr,
		.refused = !answered,
		.length = msg->len,
	};

	spend_bus_time(msg->len, answered);
	record.end_ns = ktime_get_ns();
	if (msg->flags & I2C_M_RD) {
		/* the display's status register: ready, panel on */
		if (answered)
			memset(msg->buf, 0, msg->len);
	} else {
		remember(&record, msg->buf);
	}
	/* the error of the Raspberry Pi's bcm2835 driver for "no answer" */
	return answered ? 0 : -EREMOTEIO;
}

static int rig_transfer(struct i2c_adapter *adapter, struct i2c_msg *msgs,
			int count)
{
	int done, error;

	for (done = 0; done < count; done++) {
		error = transfer_one(&msgs[done]);
		if (error)
			return error;
	}
	return count;
}

static u32 rig_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm rig_algorithm = {
	.master_xfer = rig_transfer,
	.functionality = rig_functionality,
};

static struct i2c_adapter rig_adapter = {
	.owner = THIS_MODULE,
	.name = "rig_i2c recording bus",
	.algo = &rig_algorithm,
};

static ssize_t log_read(struct file *file, char __user *to, size_t count,
			loff_t *position)
{
	ssize_t result;

	mutex_lock(&log_lock);
	result = simple_read_from_buffer(to, count, position, log_bytes,
					 log_length);
	mutex_unlock(&log_lock);
	return result;
}

static ssize_t log_clear(struct file *file, const char __user *from,
			 size_t count, loff_t *position)
{
	mutex_lock(&log_lock);
	log_length = 0;
	log_lost = 0;
	mutex_unlock(&log_lock);
	return count;
}

static const struct file_operations log_operations = {
	.owner = THIS_MODULE,
	.read = log_read,
	.write = log_clear,
	.llseek = default_llseek,
};

static struct miscdevice log_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "rig_i2c",
	.fops = &log_operations,
};

static int __init rig_i2c_init(void)
{
	int error;

	log_bytes = vmalloc(LOG_BYTES);
	if (!log_bytes)
		return -ENOMEM;
	error = misc_register(&log_device);
	if (error)
		goto free_log;
	rig_adapter.nr = bus_number;
	error = i2c_add_numbered_adapter(&rig_adapter);
	if (error)
		goto remove_device;
	return 0;

remove_device:
	misc_deregister(&log_device);
free_log:
	vfree(log_bytes);
	return error;
}

static void __exit rig_i2c_exit(void)
{
	i2c_del_adapter(&rig_adapter);
	misc_deregister(&log_device);
	vfree(log_bytes);
}

module_init(rig_i2c_init);
module_exit(rig_i2c_exit);
MODULE_DESCRIPTION("I2C adapter that records what a display is sent");
MODULE_LICENSE("GPL");
