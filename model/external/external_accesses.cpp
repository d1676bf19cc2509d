#include "model/external/external_accesses.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t areas = 2;                                 ///< double buffering of rounds
constexpr std::uint64_t pages_min = 16;                            ///< per share, for direct writes
constexpr std::uint64_t part_bytes_min = std::uint64_t{1} << 20;   ///< less is not worth a thread
constexpr std::uint64_t part_bytes_max = std::uint64_t{1} << 23;   ///< disks gain nothing from more
constexpr std::uint64_t buffer_bytes_min = std::uint64_t{1} << 18; ///< avoids too small writes

} // namespace

unsigned storage_threads(unsigned cores) {
    return std::max(cores, storage_accesses);
}

unsigned useful_threads(std::uint64_t size_bytes, unsigned most) {
    return static_cast<unsigned>(std::clamp<std::uint64_t>(size_bytes / part_bytes_min, 1, most));
}

std::uint64_t access_bytes(std::uint64_t size_bytes, unsigned threads) {
    return std::clamp(size_bytes / threads, part_bytes_min, part_bytes_max);
}

PartitionRounds partition_rounds(RecordLayout const& layout,
                                 ExternalMemory const& memory,
                                 std::uint64_t range_count) {
    PartitionRounds rounds;
    // Half of each range's two buffers is for reading, half for writing, both double-buffered.
    rounds.share_bytes = memory.buffer_bytes(layout, range_count) / areas;
    rounds.in_pages = rounds.share_bytes >= pages_min * page_bytes;
    // A segment begins within a page, after the unwritten tail of its run.
    rounds.gap_bytes = rounds.in_pages ? 2 * range_count * page_bytes : 0;
    rounds.tail_bytes = rounds.in_pages ? range_count * page_bytes : 0;
    rounds.records = (rounds.share_bytes * range_count - rounds.gap_bytes - rounds.tail_bytes) /
                     layout.record_bytes;
    return rounds;
}

OutputBuffers
output_buffers(RecordLayout const& layout, ExternalMemory const& memory, unsigned threads_max) {
    std::uint64_t const room = 3 * memory.block_bytes;
    std::uint64_t const least = std::max(buffer_bytes_min, layout.record_bytes + page_bytes);
    std::uint64_t const count = std::clamp<std::uint64_t>(room / least, 1, threads_max);
    std::uint64_t const size = std::min(room / count, memory.block_bytes + page_bytes);
    return {count, size / page_bytes * page_bytes};
}

} // namespace keyswap::model
