#pragma once

/// \file Sizes and numbers of an external sort's accesses to files, computed from its plan.

#include "model/external/external_plan.hpp"

#include <cstdint>

namespace keyswap::model {

/// Concurrent large reads or writes. With 1, 2 and 16 direct accesses of 8 MiB each on a virtual
/// disk we measured 1.0, 1.4 and 1.8 GB/s for reads, 1.3, 1.8 and 3.0 GB/s for writes.
inline constexpr unsigned storage_accesses = 8;
/// Concurrent reads of single records: they wait for the disk, not for a core.
inline constexpr unsigned sample_accesses = 16;

/// Work between two saves of a sort's state, relative to a save: each takes at most a tenth of the
/// time.
inline constexpr int work_per_save = 9;

/// Threads that wait for the disk: at least storage_accesses, however few cores there are.
[[nodiscard]] unsigned storage_threads(unsigned cores);

/// Threads worth using on `size_bytes`: one per MiB, from 1 to `most`.
[[nodiscard]] unsigned useful_threads(std::uint64_t size_bytes, unsigned most);

/// Bytes per access if `threads` read `size_bytes`: 1 to 8 MiB, whatever is left.
[[nodiscard]] std::uint64_t access_bytes(std::uint64_t size_bytes, unsigned threads);

/// Rounds of a partition by one process: each is read, distributed and written as a unit.
struct PartitionRounds {
    std::uint64_t share_bytes = 0; ///< of each range in each of the four areas of two rounds
    bool in_pages = false;         ///< writes whole pages, directly
    std::uint64_t gap_bytes = 0;   ///< of an area, for alignment
    std::uint64_t tail_bytes = 0;  ///< ends of runs that await a full page
    std::uint64_t records = 0;     ///< per round
};

/// \param range_count ranges into which the partition divides
[[nodiscard]] PartitionRounds partition_rounds(RecordLayout const& layout,
                                               ExternalMemory const& memory,
                                               std::uint64_t range_count);

/// Buffers from which sorted records are written, one per thread.
struct OutputBuffers {
    std::uint64_t count = 0;
    std::uint64_t size_bytes = 0; ///< of each, in whole pages
};

/// \param threads_max upper bound of `count`
[[nodiscard]] OutputBuffers
output_buffers(RecordLayout const& layout, ExternalMemory const& memory, unsigned threads_max);

} // namespace keyswap::model
