#pragma once

/// \file `keyswap sort --backend cpu`: the real sorts of this machine's processor.

#include "kernels/cpu/cpu_sort.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"

#include <iosfwd>
#include <optional>

namespace keyswap::tools {

/// What the sort is asked for. \param threads nothing = one a core
[[nodiscard]] Expected<kernels::CpuSortOptions> cpu_options(SortRequest const& request,
                                                            std::optional<unsigned> threads);

/// Sorts the keys in `memory` on the CPU; afterwards it holds the sorted ones.
/// \param content digest of the keys before
/// \return seconds of the sort alone
/// \pre the memory was loaded for a replay, whose scratch space the sort takes
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
