#include "simulator/schedules/swap_pieces.hpp"

#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/local_levels.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace keyswap::simulator {

namespace {

/// Neighbouring children of a node whose digits agree in all but the lowest bits.
struct Block {
    std::size_t node = 0;
    std::uint32_t first = 0;
    int bits = 0;

    [[nodiscard]] std::uint32_t end() const { return first + (1U << static_cast<unsigned>(bits)); }
};

/// Divides the tree into blocks of at most so many keys.
class PieceList {
  public:
    PieceList(model::Plan const& plan, CountedTree const& counted)
        : plan_(plan), counted_(counted) {
        for (std::size_t node = 0; node < counted.tree.size(); ++node) {
            std::vector<std::uint64_t> sums = counted.counts[node].total();
            std::partial_sum(sums.begin(), sums.end(), sums.begin());
            sums.insert(sums.begin(), 0);
            before_.push_back(std::move(sums));
        }
        for (model::PlannedBucket const& bucket : plan.buckets) {
            buckets_.push_back(images_of(plan, bucket));
        }
    }

    [[nodiscard]] std::uint64_t key_count() const { return before_.front().back(); }
    /// \return whether there are at most so many
    [[nodiscard]] bool divide(std::uint64_t target, std::size_t most) {
        target_ = target;
        most_ = most;
        blocks_.clear();
        divide(root());
        return blocks_.size() <= most;
    }

    [[nodiscard]] model::Plan take() const {
        std::uint32_t const gpus = plan_.config.gpu_count;
        model::Plan pieces = plan_;
        model::PassPlan pass;
        pass.pass = plan_.pass_count() + 1;
        pass.refined.resize(1);
        std::vector<std::vector<std::uint64_t>> rows(gpus);
        std::uint64_t position = 0;
        for (Block const& block : blocks_) {
            model::ImageInterval const images = images_of_block(block);
            auto const [first, end] = buckets_in(images);
            auto const column = static_cast<std::uint32_t>(pass.buckets.size());
            model::PlannedBucket piece{plan_.buckets[first].placement, 0, column};
            piece.placement.bucket = {pass.pass, column};
            piece.placement.last = plan_.buckets[end - 1].placement.last;
            if (piece.placement.first == piece.placement.last) {
                std::uint64_t const base = plan_.ownership[piece.placement.first.value].base;
                piece.placement.begin = std::max(position, base);
                piece.placement.end = piece.placement.begin + count_of(block);
            } // one that is cut is a bucket
            position = piece.placement.end;
            for (GpuId gpu{0}; gpu.value < gpus; ++gpu.value) {
                auto const counts = counted_.counts[block.node].of(gpu).subspan(
                    block.first, block.end() - block.first);
                rows[gpu.value].push_back(
                    std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
            }
            pass.refined.front().children.push_back(images);
            pass.buckets.push_back(piece);
        }
        model::BucketHistogram histogram({}, gpus, static_cast<std::uint32_t>(pass.buckets.size()));
        for (GpuId gpu{0}; gpu.value < gpus; ++gpu.value) {
            histogram.assign_row(gpu, histogram.add_row(rows[gpu.value]));
        }
        pass.histograms.push_back(std::move(histogram));
        pieces.buckets = pass.buckets;
        pieces.passes.push_back(std::move(pass));
        return pieces;
    }

  private:
    [[nodiscard]] Block node(std::size_t number) const {
        return {number, 0, counted_.tree.layout().bits_of(counted_.tree.bucket(number).pass + 1)};
    }
    [[nodiscard]] Block root() const { return node(0); }
    [[nodiscard]] std::uint64_t count_of(Block const& block) const {
        return before_[block.node][block.end()] - before_[block.node][block.first];
    }

    void divide(Block const& block) {
        std::uint64_t const count = count_of(block);
        if (count == 0 || blocks_.size() > most_) {
            return;
        }
        if (block.bits == 0) {
            BucketPrefix const bucket =
                counted_.tree.layout().child(counted_.tree.bucket(block.node), block.first);
            if (auto const child = counted_.tree.find(bucket)) {
                divide(node(*child));
            } else {
                add(block);
            }
            return;
        }
        Block const low{block.node, block.first, block.bits - 1};
        Block const high{block.node, low.end(), block.bits - 1};
        std::uint64_t const in_low = count_of(low);
        bool const is_narrower = in_low == 0 || in_low == count; // than the block
        if (!is_narrower && count <= target_ && has_one_owner(block)) {
            add(block);
            return;
        }
        divide(low);
        divide(high);
    }

    /// Where counts are expected ones, rounding may leave a key where no bucket is.
    void add(Block const& block) {
        auto const [first, end] = buckets_in(images_of_block(block));
        if (first < end) {
            blocks_.push_back(block);
        }
    }

    [[nodiscard]] model::ImageInterval images_of_block(Block const& block) const {
        model::DigitLayout const& layout = counted_.tree.layout();
        BucketPrefix const bucket = counted_.tree.bucket(block.node);
        return {layout.lowest_image(layout.child(bucket, block.first)),
                layout.highest_image(layout.child(bucket, block.end() - 1))};
    }
    /// Those in which the block could have keys: [first, end).
    [[nodiscard]] std::pair<std::size_t, std::size_t>
    buckets_in(model::ImageInterval const& images) const {
        auto const first =
            std::ranges::lower_bound(buckets_, images.lowest, {}, &model::ImageInterval::highest);
        auto const end =
            std::ranges::upper_bound(buckets_, images.highest, {}, &model::ImageInterval::lowest);
        return {static_cast<std::size_t>(first - buckets_.begin()),
                static_cast<std::size_t>(end - buckets_.begin())};
    }
    [[nodiscard]] bool has_one_owner(Block const& block) const {
        auto const [first, end] = buckets_in(images_of_block(block));
        return first < end &&
               plan_.buckets[first].placement.first == plan_.buckets[end - 1].placement.last;
    }

    model::Plan const& plan_;
    CountedTree const& counted_;
    std::vector<std::vector<std::uint64_t>> before_; ///< [nodes][digits + 1] keys before a child
    std::vector<model::ImageInterval> buckets_;      ///< of the plan
    std::uint64_t target_ = 0;
    std::size_t most_ = 0;
    std::vector<Block> blocks_;
};

/// Pieces that a scatter tells apart: so many that one level divides each into leaves.
std::size_t pieces_for(std::uint64_t key_count, RecordBytes record) {
    constexpr std::size_t least = 256;
    constexpr std::size_t most = 400;
    std::uint64_t const one_level = keys_of_one_level(leaf_keys_of(record)) / 20 * 19;
    return std::clamp<std::uint64_t>(key_count / one_level * 3 / 2 + 1, least, most);
}

} // namespace

std::optional<model::Plan> plan_of_pieces(model::Plan const& plan, CountedTree const& tree) {
    PieceList list(plan, tree);
    RecordBytes const record = record_of(plan.config);
    for (std::size_t const most :
         {pieces_for(list.key_count(), record), std::size_t{1} << wide_step_bits}) {
        // Blocks are two thirds full on average.
        std::uint64_t target = list.key_count() / most * 3 / 2 + 1;
        while (target < list.key_count()) {
            if (list.divide(target, most)) {
                return list.take();
            }
            target += target / 4 + 1;
        }
    }
    return std::nullopt;
}

bool crowd_within(model::Plan const& pieces, KeySample const& sample) {
    constexpr std::size_t chance = 3;
    std::size_t crowded = 0;
    for (model::PlannedBucket const& piece : pieces.buckets) {
        model::ImageInterval const images = images_of(pieces, piece);
        auto next = std::ranges::lower_bound(sample.images, images.lowest);
        auto const end = std::ranges::upper_bound(sample.images, images.highest);
        int const shift = differing_bits(images) - wide_step_bits;
        std::size_t const most = std::max(chance, static_cast<std::size_t>(end - next) / 8);
        while (next != end && shift > 0) {
            auto const of_child = std::find_if(next, end, [next, shift](model::uint128 image) {
                return (image ^ *next) >> static_cast<unsigned>(shift) != 0;
            });
            auto const count = static_cast<std::size_t>(of_child - next);
            crowded += count > most ? count : 0;
            next = of_child;
        }
    }
    return crowded > sample.images.size() / 8;
}

} // namespace keyswap::simulator
