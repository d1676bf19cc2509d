#include "proptests/live/live_sort.hpp"

#include "kernels/sorts/caller_chunks_test.hpp"
#include "model/keys/key_order.hpp"
#include "proptests/live/live_contracts.hpp"
#include "proptests/live/live_delays.hpp"
#include "proptests/live/live_ranks.hpp"
#include "proptests/live/live_reference.hpp"
#include "proptests/live/live_times.hpp"
#include "traces/testing/value_fixtures.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace keyswap::proptests {

namespace {

template <class Word>
std::vector<Word> raw_keys(LiveCase const& live_case) {
    std::vector<Word> words = words_of<Word>(live_case);
    model::to_keys(live_case.config.key_type, live_case.config.direction, std::span<Word>(words));
    return words;
}

/// Images of the keys in output order, and their values.
struct Sorted {
    std::vector<std::uint64_t> images;
    std::vector<std::uint64_t> values;
};

/// Sorts elements in the memory of the sorter's chunks and copies the result to host memory.
/// \returns the error; nullopt on success
std::optional<std::string> sort_elements(LiveSorter& live,
                                         kernels::Columns<void> elements,
                                         std::uint64_t count,
                                         TraceSink* trace) {
    if (live.ranks) {
        return live.ranks->sort(elements, count, trace);
    }
    if (live.chunks) {
        live.chunks->fill(elements, count);
    }
    auto const timing = timing_of(trace);
    auto const report =
        live.chunks ? live.sorter->sort_in_place(live.chunks->chunks(), count, timing, trace)
                    : live.sorter->sort(elements.keys, elements.values, count, timing, trace);
    if (!report) {
        return "the sort refused: " + report.error().message;
    }
    if (auto const wrong = wrong_times(*report)) {
        return wrong;
    }
    if (live.chunks && !live.chunks->take(*report, elements, count)) {
        return "the shares of the GPUs do not follow each other, or are not all keys";
    }
    return std::nullopt;
}

/// Sorts the case's keys. \returns the output or an error
template <class Word>
tl::expected<Sorted, std::string>
sort_keys(LiveSorter& live, LiveCase const& live_case, TraceSink* trace) {
    std::vector<Word> words = raw_keys<Word>(live_case);
    ValueType const value_type = live_case.config.value_type;
    std::vector<std::byte> values = testing::index_values(words.size(), value_type);
    if (auto const problem = sort_elements(
            live, {words.data(), values.empty() ? nullptr : values.data()}, words.size(), trace)) {
        return tl::unexpected(*problem);
    }
    model::to_images(live_case.config.key_type,
                     live_case.config.direction,
                     ZeroOrder::total,
                     std::span<Word>(words));
    auto images = images_of(live_case, words);
    if (!images) {
        return tl::unexpected(std::string("the output holds a key whose other half was not given"));
    }
    return Sorted{std::move(*images), testing::unpacked_values(values, value_type)};
}

template <class Word>
std::optional<std::string> sort_and_check(LiveSorter& live, LiveCase const& live_case) {
    model::verify::RecordedRunSink sink("live");
    sink.write(live.ranks ? live.ranks->describe(live_case.images.size())
                          : live.sorter->describe(live_case.images.size()));
    auto traced = sort_keys<Word>(live, live_case, &sink);
    if (!traced) {
        return can_be_planned(live_case) ? std::optional{traced.error()} : std::nullopt;
    }
    LiveOutcome const outcome{sink.run(), std::move(traced->images), std::move(traced->values)};
    if (auto problem = check_outcome(live_case, outcome)) {
        return problem;
    }
    // The untraced path overlaps copies and sorts, so its output is checked as well.
    auto untraced = sort_keys<Word>(live, live_case, nullptr);
    if (!untraced) {
        return "without a trace, " + untraced.error();
    }
    if (auto problem = check_output(live_case, untraced->images, untraced->values)) {
        return "without a trace: " + *problem;
    }
    return std::nullopt;
}

} // namespace

kernels::SortOptions sort_options(LiveCase const& live_case) {
    kernels::SortOptions options;
    static_cast<SortShape&>(options) = static_cast<SortShape const&>(live_case.config);
    static_cast<SortParameters&>(options) = static_cast<SortParameters const&>(live_case.config);
    options.choice = choose(live_case.algorithm, live_case.variant).value();
    options.tuning = live_case.tuning;
    options.devices = live_case.devices;
    return options;
}

kernels::SortExpected<LiveSorter> make_sorter(LiveCase const& live_case,
                                              std::uint64_t key_count_max) {
    if (live_case.by_ranks) {
        RankLink const link = live_case.over_nccl ? RankLink::nccl : RankLink::threads;
        return LiveRanks::create(sort_options(live_case), key_count_max, link).map([](auto ranks) {
            return LiveSorter{std::nullopt, nullptr, std::move(ranks)};
        });
    }
    auto const buffers =
        live_case.on_devices ? kernels::ChunkBuffers::caller : kernels::ChunkBuffers::sorter;
    return kernels::Sorter::create(sort_options(live_case), key_count_max, buffers)
        .map([&live_case](kernels::Sorter&& sorter) {
            LiveSorter live{std::move(sorter), nullptr, nullptr};
            if (live_case.on_devices) {
                live.chunks = std::make_shared<kernels::gpu_test::CallerChunks>(*live.sorter);
            }
            return live;
        });
}

std::optional<std::string> check_with(LiveSorter& sorter, LiveCase const& live_case) {
    StreamDelays const delays(live_case);
    return finding_of([&] {
        return with_word(live_case, [&]<class Word>(std::type_identity<Word> /*word*/) {
            return sort_and_check<Word>(sorter, live_case);
        });
    });
}

std::optional<std::string> check_alone(LiveCase const& live_case) {
    auto sorter = make_sorter(live_case, std::max<std::uint64_t>(1, live_case.images.size()));
    if (!sorter) {
        return "no sorter: " + sorter.error().message;
    }
    return check_with(*sorter, live_case);
}

std::optional<std::string> check_refusal(LiveSorter& live) {
    if (live.ranks) {
        return std::nullopt;
    }
    std::uint64_t const most = live.sorter->key_count_max();
    kernels::SortOptions const& options = live.sorter->options();
    std::vector<std::byte> keys((most + 1) * key_size_bytes(options.key_type), std::byte{7});
    std::vector<std::byte> values((most + 1) * value_size_bytes(options.value_type), std::byte{8});
    kernels::Columns<void> const elements{keys.data(), values.empty() ? nullptr : values.data()};
    if (live.chunks) {
        live.chunks->fill(elements, most);
    }
    auto const report = live.chunks ? live.sorter->sort_in_place(live.chunks->chunks(), most + 1)
                                    : live.sorter->sort(elements.keys, elements.values, most + 1);
    if (live.chunks) {
        live.chunks->take_back(elements, most);
    }
    bool const intact =
        std::ranges::all_of(keys, [](std::byte byte) { return byte == std::byte{7}; }) &&
        std::ranges::all_of(values, [](std::byte byte) { return byte == std::byte{8}; });
    if (report || !intact || report.error().input != kernels::InputState::intact) {
        return "a call of more keys than the sorter was made for was not refused cleanly";
    }
    return std::nullopt;
}

} // namespace keyswap::proptests
