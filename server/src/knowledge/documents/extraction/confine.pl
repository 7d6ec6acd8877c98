# Runs a command that cannot open sockets, start processes or signal other processes, and that inherits no files. Where the kernel has
# Landlock, it also opens only these paths and the system's programs, for reading, and sees into no other process:
# perl confine.pl path… -- command…
# Both need system calls that Node.js lacks. The kernel refuses the calls below for the rest of the process.
use strict;
use warnings;
require POSIX;

my $machine = (POSIX::uname())[4];
# Numbers of system calls (linux/unistd.h) and the kernel's name of the architecture (linux/audit.h).
my %systems = (
    x86_64 => {
        audit => 0xC000003E, prctl => 157, clone => 56, kill => 62,
        refused => [41, 57, 58, 101, 310, 311, 438],    # socket, fork, vfork, ptrace, process_vm_*, pidfd_getfd
    },
    aarch64 => {
        audit => 0xC00000B7, prctl => 167, clone => 220, kill => 129,
        refused => [198, 117, 270, 271, 438],           # socket, ptrace, process_vm_*, pidfd_getfd
    },
);
my $system = $systems{$machine} or die "unknown architecture $machine\n";
my @missing = (425, 435);    # io_uring_setup opens sockets, too; without clone3, libraries use clone

my ($load, $equal, $at_least, $has_bits, $return) = (0x20, 0x15, 0x35, 0x45, 0x06);
my ($allow, $not_permitted, $not_implemented) = (0x7FFF0000, 0x00050001, 0x00050026);
my ($number, $architecture, $first_argument) = (0, 4, 16);    # offsets in struct seccomp_data
my $new_thread = 0x00010000;

sub step { my ($code, $if_true, $if_false, $value) = @_; return pack('S C C L', $code, $if_true, $if_false, $value) }
sub answer { my ($call, $result) = @_; return step($equal, 0, 1, $call) . step($return, 0, 0, $result) }
sub unless_argument {
    my ($call, $test, $value) = @_;
    return step($equal, 0, 4, $call) . step($load, 0, 0, $first_argument) . step($test, 0, 1, $value)
        . step($return, 0, 0, $allow) . step($return, 0, 0, $not_permitted);
}

my $filter = join '',
    step($load, 0, 0, $architecture), step($equal, 1, 0, $system->{audit}), step($return, 0, 0, $not_permitted),
    step($load, 0, 0, $number), step($at_least, 0, 1, 0x40000000), step($return, 0, 0, $not_permitted),
    (map { answer($_, $not_permitted) } @{ $system->{refused} }),
    (map { answer($_, $not_implemented) } @missing),
    unless_argument($system->{clone}, $has_bits, $new_thread),
    unless_argument($system->{kill}, $equal, $$),
    step($return, 0, 0, $allow);
my $program = pack('S x6 P', length($filter) / 8, $filter);

# Landlock (linux/landlock.h). Its calls have the same numbers everywhere.
my ($create_ruleset, $add_rule, $restrict_self) = (444, 445, 446);
my ($execute, $read_file, $read_folder) = (1, 4, 8);
my @system_paths = (
    qw(/usr /bin /sbin /lib /lib64 /nix/store /run/current-system/sw /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/localtime),
    qw(/dev/null /dev/zero /dev/random /dev/urandom /sys/fs/cgroup /sys/devices/system/cpu /proc/meminfo /proc/cpuinfo /proc/stat /proc/self),
);

sub restrict_files {
    my $version = syscall($create_ruleset, 0, 0, 1);
    return if $version < 1;    # not in this kernel, or switched off
    my @rights = (0, 0x1FFF, 0x3FFF, 0x7FFF, 0x7FFF, 0xFFFF);
    my ($handled, $tcp, $scopes) = ($rights[$version > 5 ? 5 : $version], 3, 3);
    my $attributes = pack($version >= 6 ? 'Q3' : $version >= 4 ? 'Q2' : 'Q', $handled, $tcp, $scopes);
    my $ruleset = syscall($create_ruleset, $attributes, length $attributes, 0);
    die "landlock: $!\n" if $ruleset < 0;
    for my $path (@_, @system_paths) {
        sysopen(my $file, $path, 0x200000) or next;    # O_PATH
        my $allowed = -d $file ? $execute | $read_file | $read_folder : $execute | $read_file;
        my $rule = pack('Q l', $allowed, fileno $file);
        syscall($add_rule, $ruleset, 1, $rule, 0) == 0 or die "landlock: $path: $!\n";
    }
    syscall($restrict_self, $ruleset, 0) == 0 or die "landlock: $!\n";
    POSIX::close($ruleset);
}

my @paths;
push @paths, shift @ARGV while @ARGV && $ARGV[0] ne '--';
shift @ARGV;

opendir my $open_files, '/proc/self/fd' or die "/proc/self/fd: $!\n";
my @inherited = grep { /^\d+$/ && $_ > 2 } readdir $open_files;
closedir $open_files;
POSIX::close($_) for @inherited;

my ($set_no_new_privileges, $set_seccomp, $filter_mode) = (38, 22, 2);
syscall($system->{prctl}, $set_no_new_privileges, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
restrict_files(@paths);
$ENV{OPENSSL_CONF} = '/dev/null';    # Node.js does not start if it cannot read the system's
syscall($system->{prctl}, $set_seccomp, $filter_mode, $program, 0, 0) == 0 or die "seccomp: $!\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
