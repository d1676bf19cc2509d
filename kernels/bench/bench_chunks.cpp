#include "kernels/bench/bench_chunks.hpp"

#include "kernels/bench/benchmark_kernels.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t seed = 1;

/// Fills an array with elements from `first` on: from `host`, or generated if that is empty.
void make_array(std::span<std::byte const> host,
                BenchJob const& job,
                BenchKeys pattern,
                std::uint64_t array_seed,
                int element_bytes,
                std::uint64_t first,
                std::uint64_t count,
                void* out) {
    if (element_bytes == 0 || count == 0) {
        return;
    }
    if (host.empty()) {
        launch_bench_keys(
            nullptr, element_bytes, out, first, count, job.key_count, pattern, array_seed);
        return;
    }
    KEYSWAP_CUDA(cudaMemcpy(out,
                            host.data() + bytes_of(first, element_bytes),
                            bytes_of(count, element_bytes),
                            cudaMemcpyHostToDevice));
}

} // namespace

void make_bench_elements(
    BenchJob const& job, std::uint64_t first, std::uint64_t count, void* keys, void* values) {
    ElementShape const shape = element_shape(job.options);
    make_array(job.keys, job, job.pattern, seed, shape.key_bytes, first, count, keys);
    make_array(
        job.values, job, BenchKeys::uniform, seed + 1, shape.value_bytes, first, count, values);
}

BenchChunks::BenchChunks(BenchJob const& job, std::uint64_t capacity)
    : job_(job), shape_(element_shape(job.options)),
      chunk_size_(placement_rule(job.options, job.key_count).chunk_size) {
    auto const allocate = [&](int device, int element_bytes) -> void* {
        if (element_bytes == 0) {
            return nullptr;
        }
        return buffers_.emplace_back(device, bytes_of(capacity, element_bytes)).data();
    };
    for (int const device : job.options.devices) {
        DeviceChunk chunk;
        chunk.keys = allocate(device, shape_.key_bytes);
        chunk.alternate_keys = allocate(device, shape_.key_bytes);
        chunk.values = allocate(device, shape_.value_bytes);
        chunk.alternate_values = allocate(device, shape_.value_bytes);
        chunks_.push_back(chunk);
    }
}

std::uint64_t BenchChunks::begin_of(std::size_t gpu) const {
    return std::min(job_.key_count, gpu * chunk_size_);
}

std::uint64_t BenchChunks::count_of(std::size_t gpu) const {
    return std::min(chunk_size_, job_.key_count - begin_of(gpu));
}

void BenchChunks::fill() const {
    for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
        DeviceScope const scope{job_.options.devices[gpu]};
        make_bench_elements(
            job_, begin_of(gpu), count_of(gpu), chunks_[gpu].keys, chunks_[gpu].values);
        KEYSWAP_CUDA(cudaDeviceSynchronize());
    }
}

SortExpected<SequenceSummary> BenchChunks::summary_before() const {
    std::vector<SortedChunk> chunks;
    for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
        chunks.push_back({begin_of(gpu), count_of(gpu), false});
    }
    return summary_of(chunks);
}

SortExpected<SequenceSummary>
BenchChunks::summary_of(std::vector<SortedChunk> const& sorted) const {
    std::vector<SequencePart> parts;
    for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
        DeviceChunk const& chunk = chunks_[gpu];
        bool const other = sorted[gpu].in_alternate;
        parts.push_back({job_.options.devices[gpu],
                         other ? chunk.alternate_keys : chunk.keys,
                         other ? chunk.alternate_values : chunk.values,
                         sorted[gpu].count});
    }
    return summarize(job_.options, parts);
}

} // namespace keyswap::kernels
