#include "kernels/bench/bench_chunks.hpp"

#include "kernels/bench/benchmark_kernels.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/partition_kernels.hpp"
#include "kernels/runtime/gpu_state.hpp"
#include "kernels/runtime/sorter_options.hpp"

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t seed = 1;

/// Elements `first` and on of an array in host memory, or made by a kernel where there is none.
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

MultisetDigest digest_of_range(
    int device, ElementShape shape, void const* keys, void const* values, std::uint64_t count) {
    DeviceBuffer<KeyRange> const range{device, 1};
    DeviceBuffer<MultisetDigest> const digest{device, 1};
    KeyRange const all{0, count};
    KEYSWAP_CUDA(cudaMemcpy(range.data(), &all, sizeof(all), cudaMemcpyHostToDevice));
    launch_digests(nullptr,
                   {shape.key_bytes, keys, shape.value_bytes, values},
                   range.data(),
                   1,
                   digest.data());
    MultisetDigest result;
    KEYSWAP_CUDA(cudaMemcpy(&result, digest.data(), sizeof(result), cudaMemcpyDeviceToHost));
    return result;
}

} // namespace

void make_bench_elements(
    BenchJob const& job, std::uint64_t first, std::uint64_t count, void* keys, void* values) {
    ElementShape const shape = element_shape(job.options);
    make_array(job.keys, job, job.pattern, seed, shape.key_bytes, first, count, keys);
    make_array(
        job.values, job, BenchKeys::uniform, seed + 1, shape.value_bytes, first, count, values);
}

void SortedRangeCheck::add(int device, void const* keys, void const* values, std::uint64_t count) {
    if (count == 0) {
        return;
    }
    DeviceScope const scope{device};
    digest_ += digest_of_range(device, shape_, keys, values, count);
    DeviceBuffer<std::uint64_t> const violations{device, 1};
    KEYSWAP_CUDA(cudaMemset(violations.data(), 0, sizeof(std::uint64_t)));
    launch_order_check(nullptr, shape_.key_bytes, keys, count, code_, violations.data());
    std::uint64_t found = 0;
    KEYSWAP_CUDA(cudaMemcpy(&found, violations.data(), sizeof(found), cudaMemcpyDeviceToHost));
    in_order_ = in_order_ && found == 0 && image_at(keys, 0) >= last_image_;
    last_image_ = image_at(keys, count - 1);
    if (is_empty_) {
        first_image_ = image_at(keys, 0);
        is_empty_ = false;
    }
}

WideImage SortedRangeCheck::image_at(void const* keys, std::uint64_t index) const {
    WideImage image = 0;
    with_key_word(shape_.key_bytes, [&]<class Word>(std::type_identity<Word> /*word*/) {
        Word raw = 0;
        KEYSWAP_CUDA(cudaMemcpy(
            &raw, static_cast<Word const*>(keys) + index, sizeof(raw), cudaMemcpyDeviceToHost));
        image = encode_image(raw, code_);
    });
    return image;
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

MultisetDigest BenchChunks::digest_before() const {
    MultisetDigest sum;
    for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
        int const device = job_.options.devices[gpu];
        DeviceScope const scope{device};
        sum +=
            digest_of_range(device, shape_, chunks_[gpu].keys, chunks_[gpu].values, count_of(gpu));
    }
    return sum;
}

SortedRangeCheck BenchChunks::check(std::vector<SortedChunk> const& sorted) const {
    SortedRangeCheck result{shape_, image_code(job_.options.key_type, job_.options.direction)};
    for (std::size_t gpu = 0; gpu < chunks_.size(); ++gpu) {
        DeviceChunk const& chunk = chunks_[gpu];
        bool const other = sorted[gpu].in_alternate;
        result.add(job_.options.devices[gpu],
                   other ? chunk.alternate_keys : chunk.keys,
                   other ? chunk.alternate_values : chunk.values,
                   sorted[gpu].count);
    }
    return result;
}

} // namespace keyswap::kernels
