#include "proptests/faults/trace_faults.hpp"

#include "proptests/faults/trace_fault_kinds.hpp"

#include <algorithm>
#include <iterator>

namespace keyswap::proptests {

namespace {

std::vector<TraceFault> all_faults() {
    std::vector<TraceFault> faults;
    for (auto const& kind :
         {histogram_faults, placement_faults, move_faults, digest_faults, run_faults}) {
        std::ranges::move(kind(), std::back_inserter(faults));
    }
    return faults;
}

} // namespace

std::span<TraceFault const> trace_faults() {
    static std::vector<TraceFault> const faults = all_faults();
    return faults;
}

} // namespace keyswap::proptests
