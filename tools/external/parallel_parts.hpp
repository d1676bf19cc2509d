#pragma once

/// \file Work on parts of what a stage holds, on several threads.

#include "tools/external/manifest.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace keyswap::tools {

/// Threads that so many bytes occupy.
[[nodiscard]] unsigned threads_for(ExternalJob const& job, std::uint64_t size_bytes);
/// The same for bytes that are read or written: disks are faster with several accesses at once,
/// however few cores there are.
[[nodiscard]] unsigned io_threads_for(ExternalJob const& job, std::uint64_t size_bytes);

/// Calls `work` with the number of each part and of the thread that has it. Parts begin in order;
/// none begins after an error.
[[nodiscard]] Expected<void>
for_each_part(unsigned threads,
              std::size_t parts,
              std::function<Expected<void>(std::size_t part, unsigned thread)> const& work);

/// The least number of records that fill whole pages: parts of a multiple of it, in files and in
/// memory, begin alike.
[[nodiscard]] std::uint64_t records_in_pages(std::uint64_t record_bytes);

/// Records of a part of so many bytes that several threads read, at least 1.
[[nodiscard]] std::uint64_t part_records(ExternalJob const& job, std::uint64_t size_bytes);

} // namespace keyswap::tools
