#include "kernels/sorts/rmg/digit_counts.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/exchange_plan/swap_pieces.hpp"
#include "kernels/primitives/copy_kernels.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/partition/host_draw.hpp"
#include "kernels/primitives/steps/crowding_sample.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"
#include "kernels/runtime/chunk_upload.hpp"
#include "kernels/runtime/rank_words.hpp"
#include "kernels/sorts/rmg/fast_memory.hpp"
#include "kernels/sorts/rmg/round_sort.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace keyswap::kernels {

namespace {

/// Arbitrary; must not follow the order of the keys.
constexpr std::uint64_t draw_seed = 0x5eed;
/// Samples per node: children with fewer are divided after the swap.
constexpr std::size_t least_of_node = fast_sample_size / 64;

/// The sampled images, after all GPUs have drawn them.
std::vector<std::uint64_t> drawn_images(RunContext const& context, GpuState const& hub) {
    std::span<std::byte> const words = fast_memory(hub).sample.span();
    std::vector<std::uint64_t> images;
    with_key_word(context.shape.key_bytes, [&]<class Word>() {
        auto const* const begin = reinterpret_cast<Word const*>(words.data());
        std::transform(begin,
                       begin + words.size() / sizeof(Word),
                       std::back_inserter(images),
                       [&context](Word key) {
                           return static_cast<std::uint64_t>(encode_image(key, context.code));
                       });
    });
    return images;
}

/// LSD radix sort by bytes; a comparison sort takes a tenth of the time of reading all keys.
void sort_images(std::vector<std::uint64_t>& images, int key_bytes) {
    std::vector<std::uint64_t> other(images.size());
    for (int shift = 0; shift < key_bytes * 8; shift += 8) {
        std::array<std::uint32_t, 257> ends{};
        auto const digit = [shift](std::uint64_t image) { return (image >> shift) & 0xff; };
        for (std::uint64_t const image : images) {
            ++ends[digit(image) + 1];
        }
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        for (std::uint64_t const image : images) {
            other[ends[digit(image)]++] = image;
        }
        images.swap(other);
    }
}

/// True if GPUs exchange counts by leading bits; equal on all ranks.
bool shares_leading_counts(RunContext const& context, std::vector<GpuState> const& gpus) {
    bool const is_uploaded =
        std::ranges::any_of(gpus, [](GpuState const& gpu) { return gpu.upload.has_value(); });
    return !is_uploaded && fast_memory(gpus.front()).leading.size() > 0 &&
           counts_leading_bits(
               context.rule.chunk_size, context.shape.key_bytes, context.tuning.leading_bytes_min);
}

/// Waits for the first pieces, so that the histogram's time excludes the upload.
void await_first_pieces(std::vector<GpuState> const& gpus) {
    for (GpuState const& gpu : gpus) {
        if (gpu.upload && !gpu.upload->pieces.empty()) {
            await_piece(gpu, 0);
        }
    }
}

} // namespace

DigitCounts::DigitCounts(RunContext const& context,
                         std::vector<GpuState> const& gpus,
                         HalfDigits halves)
    : DigitPasses(context, context.code), hub_(gpus.front()), halves_(halves),
      has_leading_(shares_leading_counts(context, gpus)) {
    if (has_leading_) {
        for (GpuState const& gpu : gpus) {
            DeviceScope const scope{gpu.device};
            launch_crowding_sample(gpu.stream,
                                   raw_keys(context, gpu),
                                   context.key_shape.key_bits -
                                       leading_bits(context.shape.key_bytes),
                                   fast_memory(gpu).crowding.data());
        }
    }
    if (!use_pieces(context, gpus)) {
        return;
    }
    std::span<std::byte> const sample = fast_memory(hub_).sample.span();
    if (context.ranks != nullptr) {
        std::ranges::fill(sample, std::byte{0});
    }
    for (GpuState const& gpu : gpus) {
        SampleDraw const draw{draw_seed,
                              fast_sample_size,
                              context.key_count,
                              chunk_of(context, gpu.id).offset,
                              gpu.count};
        if (gpu.upload) { // drawn by the host, without a wait for the upload
            draw_on_host(context.shape.key_bytes, gpu.upload->host_keys, draw, sample.data());
            continue;
        }
        DeviceScope const scope{gpu.device};
        launch_draw(gpu.stream, context.shape.key_bytes, gpu.keys(), draw, sample.data());
    }
}

void DigitCounts::begin_pass(int pass,
                             std::vector<GpuState> const& gpus,
                             std::span<SpanningBucket const> refined) {
    DigitPasses::begin_pass(pass, gpus, refined);
    reads_tree_ = false;
    ranges_.count = 0;
    bool has_all = tree_.has_value();
    for (SpanningBucket const& bucket : refined) {
        ranges_.lowest[ranges_.count] = static_cast<std::uint64_t>(bucket.images.lowest);
        ranges_.highest[ranges_.count] = static_cast<std::uint64_t>(bucket.images.highest);
        ++ranges_.count;
        known_.push_back(bucket.bucket);
        has_all = has_all && tree_->find(bucket.bucket);
    }
    bool const begins = pass == 1 ? sees_second_pass(gpus) : pass == 2;
    if (!has_all && (begins || tree_)) {
        grow_tree(gpus);
    }
    take_known_counts();
    if (pass == 1) {
        counts_leading_ = has_leading_ && !tree_ && can_count_leading(gpus);
        has_leading_ = counts_leading_ || (has_leading_ && context().ranks != nullptr);
        await_first_pieces(gpus);
    }
}

/// Sets known_counts_ to the rows of the tree, if an earlier pass has read it.
void DigitCounts::take_known_counts() {
    known_counts_.clear();
    if (!tree_ || reads_tree_) {
        return;
    }
    std::size_t const first = known_.size() - ranges_.count;
    std::uint64_t const* of_gpu = tree_counts().data();
    for (std::uint32_t gpu = 0; gpu < context().rule.gpu_count; ++gpu) {
        for (std::size_t i = first; i < known_.size(); ++i) {
            std::size_t const node = tree_->find(known_[i]).value();
            for (std::uint32_t digit = 0; digit < 1U << child_bits(); ++digit) {
                known_counts_.push_back(of_gpu[tree_->entry(node, digit)]);
            }
        }
        of_gpu += tree_->entries();
    }
}

bool DigitCounts::sees_second_pass(std::vector<GpuState> const& gpus) {
    // With ranks, samples would have to be exchanged even if one pass suffices.
    if (!use_pieces(context(), gpus) || context().ranks != nullptr) {
        return false;
    }
    for (GpuState const& gpu : gpus) {
        if (!gpu.upload) {
            wait_for(gpu.stream);
        }
    }
    sample_ = drawn_images(context(), hub_);
    return spans_border(sample_,
                        context().key_shape,
                        context().rule.gpu_count,
                        static_cast<double>(context().rule.tolerance) /
                            static_cast<double>(context().key_count));
}

bool DigitCounts::can_count_leading(std::vector<GpuState> const& gpus) const {
    return std::ranges::all_of(gpus, [this](GpuState const& gpu) {
        wait_for(gpu.stream);
        return fast_memory(gpu).crowding.span().front() <= leading_samples_max &&
               can_count_leading_bits(gpu.device, context().shape.key_bytes);
    });
}

/// Builds a tree of all buckets refined so far and of those that may be refined next.
void DigitCounts::grow_tree(std::vector<GpuState> const& gpus) {
    tree_.emplace(context().key_shape);
    for (BucketPrefix const& bucket : known_) {
        if (!tree_->add(bucket)) {
            tree_.reset();
            return;
        }
    }
    if (sample_.empty()) {
        if (context().ranks != nullptr) {
            combine_with_ranks(context(), hub_, "sample exchange", fast_memory(hub_).sample.span());
        }
        sample_ = drawn_images(context(), hub_);
    }
    sort_images(sample_, context().shape.key_bytes);
    tree_->grow(sample_, least_of_node);
    reads_tree_ = true;
    constexpr int word_bytes = 4;
    static_assert(fine_counts_max % word_bytes == 0); // size in bytes of either buffer
    for (GpuState const& gpu : gpus) {
        FastMemory const& fast = fast_memory(gpu);
        std::ranges::copy(tree_->children(), fast.host_children.span().begin());
        DeviceScope const scope{gpu.device};
        // By a kernel, as the copy engine may be busy with uploads that are counted only later.
        launch_copy(gpu.stream,
                    word_bytes,
                    fast.children.data(),
                    fast.host_children.data(),
                    (tree_->entries() + word_bytes - 1) / word_bytes);
    }
}

void DigitCounts::count(GpuState const& gpu,
                        PartList const& /*parts*/,
                        std::uint64_t* counts) const {
    if (tree_) {
        count_tree(gpu, counts);
    } else if (pass() > 1) {
        count_ranges(gpu, counts);
    } else if (halves_ == HalfDigits::counted) {
        count_halves(gpu, counts);
    } else {
        count_digits(gpu, window(), counts);
    }
    if (pass() == 1) {
        if (has_leading_ && !counts_leading_) {
            std::uint32_t& overflowed =
                leading_counts_of(context(), gpu, gpu.id.value).overflowed();
            KEYSWAP_CUDA(cudaMemsetAsync(&overflowed, 1, sizeof(overflowed), gpu.stream));
        }
        // Reads from the whole chunk, so pieces must not wait for it.
        queue_crowding_sample(context(), gpu);
    }
}

template <class Launch>
void DigitCounts::count_pieces(GpuState const& gpu, Launch launch) const {
    if (pass() > 1 || !gpu.upload || gpu.upload->pieces.empty()) {
        launch(KeyRange{0, gpu.count}, CountsBefore::cleared);
        return;
    }
    std::vector<KeyRange> const& pieces = gpu.upload->pieces;
    launch(pieces.front(), CountsBefore::cleared);
    for (std::size_t i = 1; i < pieces.size(); ++i) {
        await_piece(gpu, i);
        launch(pieces[i], CountsBefore::kept);
    }
}

void DigitCounts::count_digits(GpuState const& gpu,
                               DigitWindow digits,
                               std::uint64_t* counts) const {
    int const key_bytes = context().shape.key_bytes;
    if (counts_leading_ && pass() == 1) {
        LeadingCounts const leading = leading_counts_of(context(), gpu, gpu.id.value);
        RawKeys const keys = raw_keys(context(), gpu);
        launch_leading_counts(gpu.stream, keys, leading);
        launch_leading_digits(gpu.stream, keys, leading, digits.bits, counts);
        return;
    }
    count_pieces(gpu, [&](KeyRange const& range, CountsBefore before) {
        PartList piece;
        piece.part[piece.count++] = range;
        launch_histogram(gpu.stream, key_bytes, gpu.keys(), piece, digits, counts, before);
    });
}

void DigitCounts::count_ranges(GpuState const& gpu, std::uint64_t* counts) const {
    launch_range_histogram(
        gpu.stream, context().shape.key_bytes, gpu.keys(), gpu.count, ranges_, window(), counts);
}

void DigitCounts::count_tree(GpuState const& gpu, std::uint64_t* counts) const {
    FastMemory const& fast = fast_memory(gpu);
    CountedNodes nodes = tree_->counted();
    nodes.children = fast.children.data();
    count_pieces(gpu, [&](KeyRange const& range, CountsBefore before) {
        launch_tree_histogram(gpu.stream,
                              context().shape.key_bytes,
                              gpu.keys(),
                              range,
                              nodes,
                              context().code,
                              fast.fine_counts.data(),
                              before);
    });
    gather_counts(gpu, tree_->entries());
    std::size_t const digits = std::size_t{1} << child_bits();
    std::size_t const first = known_.size() - ranges_.count;
    for (std::size_t i = 0; i < ranges_.count; ++i) {
        std::size_t const node = tree_->find(known_[first + i]).value();
        std::uint64_t const* const row = fast.fine_counts.data() + tree_->entry(node, 0);
        // A narrower last digit uses only every 2^unused-th counter.
        int const unused = tree_->unused_bits(node);
        std::size_t const width = unused == 0 ? digits : 1;
        KEYSWAP_CUDA(cudaMemcpy2DAsync(counts + i * digits,
                                       width * sizeof(std::uint64_t),
                                       row,
                                       (width * sizeof(std::uint64_t)) << unused,
                                       width * sizeof(std::uint64_t),
                                       digits / width,
                                       cudaMemcpyDeviceToDevice,
                                       gpu.stream));
    }
}

void DigitCounts::count_halves(GpuState const& gpu, std::uint64_t* counts) const {
    FastMemory const& fast = fast_memory(gpu);
    DigitWindow halves = window();
    std::uint32_t const digits = halves.digit_count();
    halves.shift -= 1;
    halves.bits += 1;
    count_digits(gpu, halves, fast.fine_counts.data());
    launch_fold(gpu.stream, fast.fine_counts.data(), digits, counts);
    gather_counts(gpu, 2 * std::size_t{digits});
}

void DigitCounts::gather_counts(GpuState const& gpu, std::size_t row) const {
    FastMemory const& fast = fast_memory(gpu);
    FastMemory const& of_hub = fast_memory(hub_);
    auto const take = [&](std::uint64_t const* from, std::size_t first, std::size_t count) {
        copy_table(gpu.stream, of_hub.host_fine_counts.data() + first, from, count);
    };
    if (context().ranks == nullptr) {
        take(fast.fine_counts.data(), gpu.id.value * row, row);
        return;
    }
    context().ranks->all_gather(gpu.stream,
                                "histogram exchange",
                                fast.fine_counts.data(),
                                fast.all_fine_counts.data(),
                                row * sizeof(std::uint64_t));
    take(fast.all_fine_counts.data(), 0, row * context().rule.gpu_count);
}

std::span<std::uint64_t const> DigitCounts::halves() const {
    std::size_t const row = std::size_t{2} << context().key_shape.bits_of(1);
    return halves_ == HalfDigits::counted && !tree_
               ? fast_memory(hub_).host_fine_counts.span().first(row * context().rule.gpu_count)
               : std::span<std::uint64_t>{};
}

std::span<std::uint64_t const> DigitCounts::tree_counts() const {
    return fast_memory(hub_).host_fine_counts.span().first(tree_->entries() *
                                                           context().rule.gpu_count);
}

HalfDigits half_digits(RunContext const& context, std::vector<GpuState> const& gpus) {
    bool const has_next_bit =
        context.key_shape.bits_of(1) == step_bits && context.key_shape.bits_below(1) > 0;
    bool const is_faster = has_next_bit && use_pieces(context, gpus) && !counting_fits(context);
    return is_faster ? HalfDigits::counted : HalfDigits::not_counted;
}

} // namespace keyswap::kernels
