#include "kernels/sorts/rmg/digit_counts.hpp"

#include "kernels/sorts/rmg/fast_memory.hpp"
#include "kernels/sorts/rmg/round_sort.hpp"

namespace keyswap::kernels {

void DigitCounts::begin_pass(int pass,
                             std::vector<GpuState> const& gpus,
                             std::span<SpanningBucket const> refined) {
    DigitPasses::begin_pass(pass, gpus, refined);
    ranges_.count = 0;
    for (SpanningBucket const& bucket : refined) {
        ranges_.lowest[ranges_.count] = static_cast<std::uint64_t>(bucket.images.lowest);
        ranges_.highest[ranges_.count] = static_cast<std::uint64_t>(bucket.images.highest);
        ++ranges_.count;
    }
}

void DigitCounts::count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const {
    if (pass() > 1) {
        launch_range_histogram(gpu.stream,
                               context().shape.key_bytes,
                               gpu.buffers.keys[static_cast<std::size_t>(gpu.buffers.current)],
                               gpu.count,
                               ranges_,
                               window(),
                               counts);
    } else if (halves_ == HalfDigits::counted) {
        count_halves(gpu, counts);
    } else {
        DigitPasses::count(gpu, parts, counts);
    }
}

void DigitCounts::count_halves(GpuState const& gpu, std::uint64_t* counts) const {
    FastMemory const& fast = fast_memory(gpu);
    FastMemory const& of_hub = fast_memory(hub_);
    DigitWindow halves = window();
    std::uint32_t const digits = halves.digit_count();
    halves.shift -= 1;
    halves.bits += 1;
    PartList chunk;
    chunk.part[chunk.count++] = {0, gpu.count};
    launch_histogram(gpu.stream,
                     context().shape.key_bytes,
                     gpu.buffers.keys[static_cast<std::size_t>(gpu.buffers.current)],
                     chunk,
                     halves,
                     fast.halves.data());
    launch_fold(gpu.stream, fast.halves.data(), digits, counts);
    std::size_t const row = 2 * std::size_t{digits};
    auto const take = [&](std::uint64_t const* from, std::size_t first, std::size_t count) {
        KEYSWAP_CUDA(cudaMemcpyAsync(of_hub.host_halves.data() + first,
                                     from,
                                     count * sizeof(std::uint64_t),
                                     cudaMemcpyDeviceToHost,
                                     gpu.stream));
    };
    if (context().ranks == nullptr) {
        take(fast.halves.data(), gpu.id.value * row, row);
        return;
    }
    context().ranks->all_gather(gpu.stream,
                                "histogram exchange",
                                fast.halves.data(),
                                fast.all_halves.data(),
                                row * sizeof(std::uint64_t));
    take(fast.all_halves.data(), 0, row * context().rule.gpu_count);
}

std::span<std::uint64_t const> DigitCounts::halves() const {
    return halves_ == HalfDigits::counted ? fast_memory(hub_).host_halves.span()
                                          : std::span<std::uint64_t>{};
}

HalfDigits half_digits(RunContext const& context, std::vector<GpuState> const& gpus) {
    bool const has_next_bit =
        context.key_shape.bits_of(1) == step_bits && context.key_shape.bits_below(1) > 0;
    bool const pays = has_next_bit && levels_pay(context, gpus) && !counting_fits(context);
    return pays ? HalfDigits::counted : HalfDigits::not_counted;
}

} // namespace keyswap::kernels
