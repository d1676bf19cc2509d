#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include "kernels/device/multiprocessors.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/radix_sort/radix_sort_widths.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <limits>

namespace keyswap::kernels {

namespace {

/// The architecture on which the tuned policies were measured.
constexpr int tuned_compute_capability = 9;

/// Returns the index of the result's buffer.
int run(ElementShape shape, radix_sort_detail::Call const& call, RadixPolicy policy) {
    KEYSWAP_EXPECTS(shape.key_bytes <= 8 || shape.value_bytes == 0);
    if (policy == RadixPolicy::tuned && has_tuned_policy(shape) &&
        call.count <= std::numeric_limits<std::uint32_t>::max() &&
        major_compute_capability() == tuned_compute_capability) {
        return radix_sort_detail::run_tuned(call);
    }
    return with_key_word(shape.key_bytes,
                         [&]<class Key>() { return radix_sort_detail::run<Key>(call); });
}

} // namespace

std::size_t radix_sort_temp_bytes(ElementShape shape, std::uint64_t count) {
    // The size grows with the count except where CUB changes its algorithm, so the size for a small
    // count is included as well.
    constexpr std::uint64_t small_count = 1 << 16;
    std::size_t largest = 0;
    BitWindow const window{0, shape.key_bytes * 8};
    for (RadixPolicy const policy : {RadixPolicy::own, RadixPolicy::tuned}) {
        for (std::uint64_t const probe : {count, std::min(count, small_count)}) {
            std::size_t bytes = 0;
            run(shape,
                {nullptr, shape.value_bytes, SortBuffers{}, probe, window, nullptr, bytes},
                policy);
            largest = std::max(largest, bytes);
        }
    }
    return std::max<std::size_t>(largest, 1);
}

int launch_radix_sort(cudaStream_t stream,
                      ElementShape shape,
                      SortBuffers const& buffers,
                      std::uint64_t count,
                      BitWindow window,
                      void* temp,
                      std::size_t temp_bytes,
                      RadixPolicy policy) {
    if (count < 2 || window.begin >= window.end) {
        return buffers.current;
    }
    return run(
        shape, {stream, shape.value_bytes, buffers, count, window, temp, temp_bytes}, policy);
}

} // namespace keyswap::kernels
