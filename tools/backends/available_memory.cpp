#include "tools/backends/available_memory.hpp"

#include "tools/text/number_text.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace keyswap::tools {

namespace {

/// Reserve for the rest of the program: tables, the trace writer, fragmentation of the heap.
constexpr std::uint64_t reserve_bytes = 256'000'000;

std::optional<std::uint64_t> pretended_bytes;

std::optional<std::string> text_of(char const* path) {
    std::ifstream file(path);
    if (!file) {
        return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    auto const begin = std::min(text.find_first_not_of(" \t"), text.size());
    std::uint64_t number = 0;
    auto const end = text.data() + text.size();
    if (std::from_chars(text.data() + begin, end, number).ec != std::errc()) {
        return std::nullopt;
    }
    return number;
}

/// The number in a file; nullopt for "max" or a missing file.
std::optional<std::uint64_t> number_in_file(char const* path) {
    auto const text = text_of(path);
    return text ? number_in(*text) : std::nullopt;
}

/// Memory that the container's control group leaves; nullopt without a limit.
std::optional<std::uint64_t> left_by_control_group() {
    auto const most = number_in_file("/sys/fs/cgroup/memory.max");
    auto const now = number_in_file("/sys/fs/cgroup/memory.current");
    if (!most || !now) {
        return std::nullopt;
    }
    return *most > *now ? *most - *now : 0;
}

/// Address space that the process's limit leaves (ulimit -v); nullopt without a limit.
std::optional<std::uint64_t> left_by_process_limit() {
    rlimit most{};
    auto const pages = number_in_file("/proc/self/statm");
    if (getrlimit(RLIMIT_AS, &most) != 0 || most.rlim_cur == RLIM_INFINITY || !pages) {
        return std::nullopt;
    }
    std::uint64_t const now = *pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return most.rlim_cur > now ? most.rlim_cur - now : 0;
}

std::string gigabytes(std::uint64_t bytes) {
    return printed("%.1f GB", static_cast<double>(bytes) / 1e9);
}

} // namespace

std::optional<std::uint64_t> available_bytes_of_meminfo(std::string_view text) {
    constexpr std::string_view label = "MemAvailable:";
    auto const begin = text.find(label);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    constexpr std::uint64_t bytes_per_kib = 1024;
    auto const kib = number_in(text.substr(begin + label.size()));
    return kib ? std::optional(*kib * bytes_per_kib) : std::nullopt;
}

AvailableMemoryOverride::AvailableMemoryOverride(std::uint64_t bytes) {
    pretended_bytes = bytes;
}

AvailableMemoryOverride::~AvailableMemoryOverride() {
    pretended_bytes.reset();
}

std::optional<std::uint64_t> available_memory_bytes() {
    if (pretended_bytes) {
        return pretended_bytes;
    }
    auto const meminfo = text_of("/proc/meminfo");
    auto const machine = meminfo ? available_bytes_of_meminfo(*meminfo) : std::nullopt;
    std::optional<std::uint64_t> least;
    for (auto const bytes : {machine, left_by_control_group(), left_by_process_limit()}) {
        if (bytes) {
            least = std::min(*bytes, least.value_or(*bytes));
        }
    }
    return least;
}

Expected<void> expect_memory_for(std::string const& subject,
                                 std::uint64_t key_count,
                                 std::uint64_t bytes_per_key,
                                 std::optional<std::uint64_t> available) {
    KEYSWAP_EXPECTS(bytes_per_key > 0);
    if (!available) {
        return {};
    }
    std::uint64_t const free = *available - std::min(*available, reserve_bytes);
    if (key_count <= free / bytes_per_key) {
        return {};
    }
    constexpr auto bytes_max = std::numeric_limits<std::uint64_t>::max();
    bool const countable = key_count <= bytes_max / bytes_per_key;
    std::string const needed =
        countable ? gigabytes(key_count * bytes_per_key) : "more bytes than can be counted";
    return input_error(
        subject,
        "needs " + needed + " of memory (" + std::to_string(bytes_per_key) +
            " bytes per key), and " + gigabytes(free) + " is free",
        "use at most " + grouped_count(free / bytes_per_key) +
            " keys, or plan them without making them: 'keyswap plan --distribution'");
}

} // namespace keyswap::tools
