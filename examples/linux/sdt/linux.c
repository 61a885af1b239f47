// SPDX-License-Identifier: BSD-2-Clause
/*
 * The consumer of the site tables in Linux: all sites off at boot and when a
 * module is loaded, and the file sdt of debugfs.  It takes "on PATTERN" and
 * "off PATTERN", and lists how often probes were hit, and all sites.
 *
 * text_mutex, which text_poke_bp() wants, is the lock of all that is here.
 */
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#ifdef CONFIG_X86
#include <asm/text-patching.h>
#elif defined(CONFIG_RISCV)
#include <linux/stop_machine.h>
#include <asm/cacheflush.h>
#include <asm/patch.h>
#else
#include <asm/patching.h>
#endif

#include "sdt_control.h"

static DEFINE_PER_CPU(unsigned long, hits);

/* The trampolines of modules lead to it, too. */
notrace void sdt_fired(sdt_uptr first, ...);

notrace void sdt_fired(sdt_uptr first, ...)
{
	this_cpu_inc(hits);
}
EXPORT_SYMBOL_GPL(sdt_fired);

static int is_text(void *cookie, sdt_uptr addr, sdt_u32 len)
{
	return kernel_text_address(addr) && kernel_text_address(addr + len - 1);
}

#ifdef CONFIG_RISCV
static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
	return patch_insn_write((void *)addr, bytes, len);
}

static void sync(void *cookie)
{
	flush_icache_all();
}

struct stopped {
	void (*run)(void *arg);
	void *arg;
	atomic_t ncpus;
};

/* On each CPU; the last one that comes does it, the others wait. */
static int run_stopped(void *arg)
{
	struct stopped *stopped = arg;

	if (atomic_inc_return(&stopped->ncpus) == num_online_cpus()) {
		stopped->run(stopped->arg);
		atomic_inc_return_release(&stopped->ncpus);
	} else {
		while (atomic_read_acquire(&stopped->ncpus) <= num_online_cpus())
			cpu_relax();
	}
	local_flush_icache_all();
	return 0;
}

/* For sites that are not aligned. text_mutex is held by who waits for it. */
static void stop(void *cookie, void (*run)(void *arg), void *arg)
{
	struct stopped stopped = { run, arg };

	riscv_patch_in_stop_machine = true;
	stop_machine(run_stopped, &stopped, cpu_online_mask);
	riscv_patch_in_stop_machine = false;
}
#else
/* The kernel's own protocol lets other CPUs run: the host needs no sync(). */
static int write_text(void *cookie, sdt_uptr addr, const sdt_u8 *bytes,
		      sdt_u32 len)
{
#ifdef CONFIG_X86
	/* It knows branches and NOPs; the value of an is-enabled probe is BUG(). */
	if (bytes[0] == 0xb8)
		return -EOPNOTSUPP;
	text_poke_bp((void *)addr, bytes, len, NULL);
	return 0;
#else
	__le32 insn;

	memcpy(&insn, bytes, sizeof(insn));
	return aarch64_insn_patch_text_nosync((void *)addr, le32_to_cpu(insn));
#endif
}
#endif

#ifndef CONFIG_X86
/*
 * Of SDT_STUB in <linux/sdt.h>.  On RISC-V one of the two is within the 4 KiB
 * that the auipc of the site chose.
 */
#ifdef CONFIG_ARM64
static const int trampolines[] = { 8 };
#else
static const int trampolines[] = { 4, -4 };
#endif

static sdt_uptr trampoline(void *cookie, const struct sdt_site *site,
			   sdt_uptr handler, unsigned int n)
{
	if (handler != (sdt_uptr)sdt_fired || site->stub == 0 ||
	    n >= ARRAY_SIZE(trampolines))
		return 0;
	return site->stub + trampolines[n];
}
#endif

static const struct sdt_patch_host host = {
	.is_text = is_text,
	.write = write_text,
#ifndef CONFIG_X86
	.trampoline = trampoline,
#endif
#ifdef CONFIG_RISCV
	.sync = sync,
	.stop = stop,
#endif
};
static struct sdt_control control = {
	.host = &host,
	.handler = (sdt_uptr)sdt_fired,
};

/* Sites are looked at one after the other, so one name is enough. */
static const char *find_function(void *cookie, sdt_uptr addr)
{
	static char name[KSYM_NAME_LEN];
	unsigned long size, offset;
	char *module;

	return kallsyms_lookup(addr, &size, &offset, &module, name);
}

static void print(void *file, const char *text)
{
	if (file)
		seq_puts(file, text);
}

static int show(struct seq_file *file, void *data)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(hits, cpu);
	seq_printf(file, "hits %lu\n", sum);
	mutex_lock(&text_mutex);
	sdt_control_line(&control, "list", print, file);
	mutex_unlock(&text_mutex);
	return 0;
}

static int sdt_open(struct inode *inode, struct file *file)
{
	return single_open(file, show, NULL);
}

static ssize_t sdt_write(struct file *file, const char __user *from,
			 size_t size, loff_t *pos)
{
	char line[128] = "";
	enum sdt_control_error error;

	if (size >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, from, size))
		return -EFAULT;
	mutex_lock(&text_mutex);
	error = sdt_control_line(&control, line, print, NULL);
	mutex_unlock(&text_mutex);
	return error == SDT_CONTROL_OK ? size : -EINVAL;
}

static const struct file_operations operations = {
	.open = sdt_open,
	.read = seq_read,
	.write = sdt_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static void add(struct sdt_module *module)
{
	enum sdt_control_error error;

	module->find_function = find_function;
	mutex_lock(&text_mutex);
	error = sdt_control_add(&control, module);
	mutex_unlock(&text_mutex);
	pr_info("sdt: %s: %u sites: %s\n", module->name, module->table.nsites,
		error == SDT_CONTROL_BAD_TABLE ? sdt_table_text(module->error)
					       : sdt_control_text(error));
}

/* Defined by scripts/module.lds.S. */
static const void *bound(const struct module *mod, const char *symbol)
{
	char name[MODULE_NAME_LEN + 32];

	snprintf(name, sizeof(name), "%s:%s", mod->name, symbol);
	return (const void *)kallsyms_lookup_name(name);
}

static void add_module(const struct module *mod)
{
	struct sdt_module *module = kzalloc(sizeof(*module), GFP_KERNEL);

	if (!module)
		return;
	module->name = mod->name;
	module->bounds.sites = bound(mod, "__start_sdt_sites");
	module->bounds.sites_end = bound(mod, "__stop_sdt_sites");
	module->bounds.probes = bound(mod, "__start_sdt_probes");
	module->bounds.probes_end = bound(mod, "__stop_sdt_probes");
	if (module->bounds.sites)
		add(module);
	else
		kfree(module);
}

static void remove_module(const struct module *mod)
{
	struct sdt_module *module;

	mutex_lock(&text_mutex);
	for (module = control.first; module; module = module->next)
		if (module->name == mod->name)
			break;
	if (module)
		sdt_control_remove(&control, module);
	mutex_unlock(&text_mutex);
	kfree(module);
}

static int module_event(struct notifier_block *block, unsigned long event,
			void *mod)
{
	if (event == MODULE_STATE_COMING)
		add_module(mod);
	else if (event == MODULE_STATE_GOING)
		remove_module(mod);
	return NOTIFY_OK;
}

static struct notifier_block module_block = { .notifier_call = module_event };

static int __init start(void)
{
	static struct sdt_module kernel = { .name = "kernel",
					    .bounds = SDT_BOUNDS };

	add(&kernel);
	debugfs_create_file("sdt", 0600, NULL, NULL, &operations);
	return register_module_notifier(&module_block);
}
postcore_initcall(start);
