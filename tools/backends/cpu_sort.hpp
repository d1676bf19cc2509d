#pragma once

/// \file `keyswap sort --backend cpu`: measured sorts on this machine's CPU.

#include "kernels/cpu/cpu_sort.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"

#include <iosfwd>
#include <optional>

namespace keyswap::tools {

/// Options of the CPU sort for a request. \param threads nullopt: one per core
[[nodiscard]] Expected<kernels::CpuSortOptions> cpu_options(SortRequest const& request,
                                                            std::optional<unsigned> threads);

/// Sorts the keys in `memory` in place on the CPU.
/// \param content digest of the unsorted keys
/// \return seconds, sort only
/// \pre memory was loaded with Use::replay; the sort uses its scratch space
[[nodiscard]] Expected<double> sort_on_cpu(SortRequest const& request,
                                           kernels::CpuSortOptions const& options,
                                           KeyMemory& memory,
                                           MultisetDigest const& content,
                                           TraceSink* trace);

void print_cpu_account(kernels::CpuSortOptions const& options,
                       double seconds,
                       std::uint64_t key_count,
                       std::ostream& out);
[[nodiscard]] Json cpu_account_json(kernels::CpuSortOptions const& options);

} // namespace keyswap::tools
