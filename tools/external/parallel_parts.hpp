#pragma once

/// \file How many threads work on what a stage of an external sort holds, and in which parts.

#include "tools/external/each_part.hpp"
#include "tools/external/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace keyswap::tools {

/// Threads that so many bytes occupy.
[[nodiscard]] unsigned threads_for(ExternalJob const& job, std::uint64_t size_bytes);
/// The same for bytes that are read or written: disks are faster with several accesses at once,
/// however few cores there are.
[[nodiscard]] unsigned io_threads_for(ExternalJob const& job, std::uint64_t size_bytes);

/// The least number of records that fill whole pages: parts of a multiple of it, in files and in
/// memory, begin alike.
[[nodiscard]] std::uint64_t records_in_pages(std::uint64_t record_bytes);

/// Records of a part of so many bytes that several threads read, at least 1.
[[nodiscard]] std::uint64_t part_records(ExternalJob const& job, std::uint64_t size_bytes);

/// Calls `work` with the first and end of each thread's share of so many records.
[[nodiscard]] Expected<void>
for_each_share(ExternalJob const& job,
               std::uint64_t count,
               std::function<void(std::size_t begin, std::size_t end)> const& work);

/// The digest of so many records. \param digest_of that of a thread's share
[[nodiscard]] Expected<MultisetDigest> digest_of_shares(
    ExternalJob const& job,
    std::uint64_t count,
    std::function<MultisetDigest(std::size_t begin, std::size_t end)> const& digest_of);

} // namespace keyswap::tools
