#pragma once

/// \file Numbers of threads and sizes of parts for the stages of an external sort.

#include "tools/external/files/manifest.hpp"
#include "tools/external/pipeline/each_part.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace keyswap::tools {

/// Threads worth using to compute on `size_bytes`: one per MiB, at most job.threads.
[[nodiscard]] unsigned threads_for(ExternalJob const& job, std::uint64_t size_bytes);
/// As threads_for(), for reading or writing: at least storage_accesses are allowed, since disks are
/// faster with several concurrent accesses, however few cores there are.
[[nodiscard]] unsigned io_threads_for(ExternalJob const& job, std::uint64_t size_bytes);
/// Threads that wait for the disk concurrently, whatever the sizes: to sync or remove files.
[[nodiscard]] unsigned io_threads(ExternalJob const& job);

/// Removes files concurrently: a file system may wait for the disk at each removal (ext4 on a
/// virtual disk: 4 ms). Errors are ignored: leftovers only cost space.
void remove_files(ExternalJob const& job,
                  Storage& storage,
                  std::vector<std::filesystem::path> const& paths);

/// Smallest record count that fills whole pages: parts of a multiple of it all begin at the same
/// offset within a page, in files and in memory.
[[nodiscard]] std::uint64_t records_in_pages(std::uint64_t record_bytes);

/// Records per part if several threads read `size_bytes`; at least 1, in whole pages if possible.
[[nodiscard]] std::uint64_t part_records(ExternalJob const& job, std::uint64_t size_bytes);

/// Calls `work` concurrently with [begin, end) of each thread's share of `count` records.
[[nodiscard]] Expected<void>
for_each_share(ExternalJob const& job,
               std::uint64_t count,
               std::function<void(std::size_t begin, std::size_t end)> const& work);

/// Digest of `count` records. \param digest_of computes the digest of a thread's share
[[nodiscard]] Expected<MultisetDigest> digest_of_shares(
    ExternalJob const& job,
    std::uint64_t count,
    std::function<MultisetDigest(std::size_t begin, std::size_t end)> const& digest_of);

} // namespace keyswap::tools
