/// \file The sorts with emulated kernels: those that support ranks.

#include "kernels/runtime/sort_driver.hpp"

#include <array>

namespace keyswap::kernels {

SortDriver const& rmg_driver();
SortDriver const& sample_sort_driver();

std::span<SortDriver const* const> sort_drivers() {
    static std::array<SortDriver const*, 2> const drivers{&rmg_driver(), &sample_sort_driver()};
    return drivers;
}

std::span<std::string_view const> gpu_sorts() {
    static constexpr std::array<std::string_view, 2> names{"rmg", "sample-sort"};
    return names;
}

std::span<std::string_view const> wide_gpu_sorts() {
    return gpu_sorts().last(1);
}

} // namespace keyswap::kernels
