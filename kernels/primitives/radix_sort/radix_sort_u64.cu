#include "kernels/primitives/radix_sort/radix_sort_impl.cuh"

template int keyswap::kernels::radix_sort_detail::run<std::uint64_t>(Call const&);
