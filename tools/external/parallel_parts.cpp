#include "tools/external/parallel_parts.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::tools {

namespace {

constexpr std::uint64_t part_bytes_min = std::uint64_t{1} << 20; ///< less is not worth a thread
constexpr std::uint64_t part_bytes_max = std::uint64_t{1} << 23; ///< disks are not faster with more

unsigned threads_of_bytes(std::uint64_t size_bytes, unsigned most) {
    return static_cast<unsigned>(std::clamp<std::uint64_t>(size_bytes / part_bytes_min, 1, most));
}

} // namespace

unsigned threads_for(ExternalJob const& job, std::uint64_t size_bytes) {
    return threads_of_bytes(size_bytes, job.threads);
}

unsigned io_threads_for(ExternalJob const& job, std::uint64_t size_bytes) {
    return threads_of_bytes(size_bytes, std::max(job.threads, storage_accesses));
}

std::uint64_t records_in_pages(std::uint64_t record_bytes) {
    return StoredFile::page_bytes / std::gcd(record_bytes, std::uint64_t{StoredFile::page_bytes});
}

std::uint64_t part_records(ExternalJob const& job, std::uint64_t size_bytes) {
    std::uint64_t const size = job.layout.record_bytes;
    std::uint64_t const share =
        std::clamp(size_bytes / io_threads_for(job, size_bytes), part_bytes_min, part_bytes_max);
    std::uint64_t const records = std::max<std::uint64_t>(share / size, 1);
    std::uint64_t const whole = records_in_pages(size);
    return records < whole ? records : records / whole * whole;
}

} // namespace keyswap::tools
