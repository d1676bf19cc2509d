#include "tools/bench/reference_sort.hpp"

#include "traces/errors/contracts.hpp"

#if defined(_OPENMP) && defined(__GLIBCXX__)
#include <parallel/algorithm>
#endif

namespace keyswap::tools {

#if defined(_OPENMP) && defined(__GLIBCXX__)

bool has_reference_sort() {
    return true;
}

void reference_sort(std::span<std::uint32_t> keys) {
    __gnu_parallel::sort(keys.begin(), keys.end());
}

#else

bool has_reference_sort() {
    return false;
}

void reference_sort(std::span<std::uint32_t> /*keys*/) {
    KEYSWAP_EXPECTS(has_reference_sort());
}

#endif

} // namespace keyswap::tools
