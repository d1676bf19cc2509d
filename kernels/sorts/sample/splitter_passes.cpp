#include "kernels/sorts/sample/splitter_passes.hpp"

#include "kernels/device/stream.hpp"
#include "kernels/exchange/scattered_parts.hpp"
#include "kernels/faults/device_faults.hpp"
#include "kernels/primitives/key_words.hpp"
#include "kernels/runtime/rank_words.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <string>

namespace keyswap::kernels {

namespace {

template <class Word>
void write_tree(std::span<WideImage const> edges, std::byte* words) {
    std::vector<Word> narrow;
    for (WideImage const edge : edges) {
        narrow.push_back(static_cast<Word>(edge));
    }
    for (std::uint32_t node = 0; node < tree_words; ++node) {
        reinterpret_cast<Word*>(words)[node] =
            tree_word(narrow.data(), static_cast<std::uint32_t>(narrow.size()), node);
    }
}

void sort_sample(std::vector<WideImage>& sample) {
    if (!has_fault(DeviceFault::sample_not_sorted)) {
        std::ranges::sort(sample);
    }
    if (has_fault(DeviceFault::splitter_off_by_one) && sample.size() > 1) {
        std::ranges::rotate(sample, sample.begin() + 1);
    }
}

/// Effective only with the fault equality_lost.
void apply_equality_fault(BucketFunction& function) {
    auto* const splitters = std::get_if<SplitterBuckets>(&function.rule);
    if (has_fault(DeviceFault::equality_lost) && splitters != nullptr) {
        splitters->equality.assign(splitters->splitters.size(), false);
        function.buckets = static_cast<std::uint32_t>(splitters->splitters.size()) + 1;
    }
}

/// True if some part of the GPU has keys of several children; otherwise all are in order already.
bool has_part_to_move(GpuState const& gpu, std::size_t refined_count, PassResult const& result) {
    for (std::size_t i = 0; i < refined_count; ++i) {
        auto const counts = result.histogram(gpu.id.value, i);
        if (std::ranges::count_if(counts, [](auto keys) { return keys > 0; }) > 1) {
            return true;
        }
    }
    return false;
}

/// All parts, one per refined bucket.
SegmentParts segments_of(LocalMemory const& memory, PartList const& parts, ElementShape shape) {
    SegmentParts segments{memory, 0, label_tile_keys(shape)};
    for (std::uint32_t i = 0; i < parts.count; ++i) {
        segments.add(parts.part[i].offset, parts.part[i].count);
    }
    return segments;
}

} // namespace

void SplitterPasses::begin_pass(int pass,
                                std::vector<GpuState> const& gpus,
                                std::span<SpanningBucket const> refined) {
    int const passes_max = passes_max_of(parameters_);
    if (pass > passes_max) {
        throw SortRefused{std::to_string(refined.size()) + " buckets still span borders after " +
                          std::to_string(passes_max) +
                          " passes. Give a larger tolerance, or more ways or oversampling."};
    }
    pass_ = pass;
    if (pass == 1) {
        for (GpuState const& gpu : gpus) {
            input_buffers_.push_back(gpu.buffers.current);
        }
        draw(gpus, 1, 1);
    } else if (pass == 2) {
        // The first scatter preserved the input buffer; the second will overwrite it.
        draw(gpus, 2, passes_max);
    }
    divide(gpus.front(), refined);
    for (GpuState const& gpu : gpus) {
        upload_trees(gpu);
    }
}

std::span<std::byte> SplitterPasses::sample_memory(GpuState const& hub, int pass) const {
    std::uint64_t begin = 0;
    for (int earlier = 1; earlier < pass; ++earlier) {
        begin += draws_of_pass(parameters_, earlier, context_.key_count);
    }
    std::uint64_t const draws = draws_of_pass(parameters_, pass, context_.key_count);
    return local_memory(hub).sample.span().subspan(bytes_of(begin, context_.shape.key_bytes),
                                                   bytes_of(draws, context_.shape.key_bytes));
}

std::vector<WideImage> SplitterPasses::sample_of(GpuState const& hub, int pass) const {
    std::span<std::byte const> const words = sample_memory(hub, pass);
    std::vector<WideImage> sample;
    with_key_word(context_.shape.key_bytes, [&]<class Word>() {
        auto const* const begin = reinterpret_cast<Word const*>(words.data());
        sample.assign(begin, begin + words.size() / sizeof(Word));
    });
    return sample;
}

void SplitterPasses::draw(std::vector<GpuState> const& gpus, int first_pass, int last_pass) {
    GpuState const& hub = gpus.front();
    if (context_.ranks != nullptr) {
        for (int pass = first_pass; pass <= last_pass; ++pass) {
            std::ranges::fill(sample_memory(hub, pass), std::byte{0});
        }
    }
    for (GpuState const& gpu : gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase = begin_phase(context_, gpu, Phase::planning, first_pass);
        auto const buffer = static_cast<std::size_t>(input_buffers_[gpu.id.value - hub.id.value]);
        for (int pass = first_pass; pass <= last_pass; ++pass) {
            launch_draw(gpu.stream,
                        context_.shape.key_bytes,
                        gpu.buffers.keys[buffer],
                        {seed_of_pass(parameters_, pass),
                         draws_of_pass(parameters_, pass, context_.key_count),
                         context_.key_count,
                         gpu.id.value * context_.rule.chunk_size,
                         gpu.count},
                        sample_memory(hub, pass).data());
        }
        context_.clock->end(phase);
    }
    for (GpuState const& gpu : gpus) {
        wait_for(gpu.stream);
    }
    if (context_.ranks != nullptr) {
        for (int pass = first_pass; pass <= last_pass; ++pass) {
            combine_with_ranks(context_, hub, "sample exchange", sample_memory(hub, pass));
        }
    }
}

void SplitterPasses::divide(GpuState const& hub, std::span<SpanningBucket const> refined) {
    std::vector<std::vector<WideImage>> samples(refined.size());
    for (WideImage const image : sample_of(hub, pass_)) {
        auto const bucket = std::ranges::lower_bound(
            refined, image, {}, [](SpanningBucket const& each) { return each.images.highest; });
        if (bucket != refined.end() && image >= bucket->images.lowest) {
            samples[static_cast<std::size_t>(bucket - refined.begin())].push_back(image);
        }
    }
    divisions_.clear();
    for (std::size_t i = 0; i < refined.size(); ++i) {
        sort_sample(samples[i]);
        BucketFunction function =
            dividing_function(refined[i].images, samples[i], parameters_.ways);
        apply_equality_fault(function);
        auto edges = lower_edges(function, context_.key_shape.key_bits);
        KEYSWAP_ENSURES(edges.size() < tree_words);
        divisions_.push_back({std::move(function), std::move(edges)});
    }
}

void SplitterPasses::upload_trees(GpuState const& gpu) const {
    LocalMemory const& memory = local_memory(gpu);
    DeviceScope const scope{gpu.device};
    std::size_t const tree_bytes = bytes_of(tree_words, context_.shape.key_bytes);
    KEYSWAP_EXPECTS(divisions_.size() * tree_bytes <= memory.host_trees.size());
    for (std::size_t i = 0; i < divisions_.size(); ++i) {
        std::byte* const words = memory.host_trees.data() + i * tree_bytes;
        with_key_word(context_.shape.key_bytes,
                      [&]<class Word>() { write_tree<Word>(divisions_[i].edges, words); });
    }
    copy_bytes(
        gpu.stream, memory.trees.data(), memory.host_trees.data(), divisions_.size() * tree_bytes);
}

ImageRange SplitterPasses::child_images(SpanningBucket const& refined,
                                        std::size_t i,
                                        std::uint32_t child) const {
    return child_range(refined.images, divisions_[i].edges, child);
}

BucketFunction const* SplitterPasses::function(std::size_t i) const {
    return &divisions_[i].function;
}

void SplitterPasses::count(GpuState const& gpu,
                           PartList const& parts,
                           std::uint64_t* counts) const {
    LocalMemory const& memory = local_memory(gpu);
    SegmentParts const segments = segments_of(memory, parts, context_.shape);
    segments.upload(gpu.stream);
    launch_labels(gpu.stream,
                  context_.shape.key_bytes,
                  {gpu.keys()},
                  segments.tiles(child_bits()),
                  memory.trees.data(),
                  memory.labels.data(),
                  counts);
}

void SplitterPasses::scatter(std::vector<GpuState>& gpus,
                             std::vector<SpanningBucket> const& refined,
                             PassResult const& result) const {
    for (GpuState& gpu : gpus) {
        DeviceScope const scope{gpu.device};
        auto const phase = begin_phase(context_, gpu, Phase::scatter, pass_);
        if (has_part_to_move(gpu, refined.size(), result)) {
            if (pass_ > 1) {
                context_.mark_chunks_overwritten();
            }
            move_parts(gpu, refined);
        }
        context_.clock->end(phase);
    }
}

void SplitterPasses::scatter_to(GpuState const& gpu,
                                std::vector<SpanningBucket> const& whole,
                                std::span<std::uint64_t const> places) const {
    LocalMemory const& memory = local_memory(gpu);
    SegmentParts const segments = segments_of(memory, parts_on(gpu, whole), context_.shape);
    copy_array(gpu.stream, memory.cursors.data(), places.data(), places.size());
    move(gpu, segments.tiles(child_bits()));
}

/// Uses the labels and tiles of count(), so that either all parts move or none.
void SplitterPasses::move_parts(GpuState& gpu, std::vector<SpanningBucket> const& refined) const {
    LocalMemory const& memory = local_memory(gpu);
    PartList const parts = parts_on(gpu, refined);
    SegmentParts const segments = segments_of(memory, parts, context_.shape);
    LabelTiles const tiles = segments.tiles(child_bits());
    launch_cursors(
        gpu.stream, segments.data(), tiles, gpu.resources->counts.data(), memory.cursors.data());
    move(gpu, tiles);
    join_scattered(context_, gpu, std::span{parts.part, parts.count});
}

void SplitterPasses::move(GpuState const& gpu, LabelTiles const& tiles) const {
    LocalMemory const& memory = local_memory(gpu);
    auto const from = static_cast<std::size_t>(gpu.buffers.current);
    launch_label_move(
        gpu.stream,
        context_.shape,
        tiles,
        {arrays_between(gpu.buffers, from, 1 - from), memory.labels.data(), memory.cursors.data()});
}

} // namespace keyswap::kernels
