/// \file Compares real multi-GPU sorts with the model, bucket for bucket, on random inputs.
///
/// One sorter is reused for a random sequence of sorts, with calls that have to be refused in
/// between. A case that fails is shrunk, saved, and repeated by one command, which is printed.

#include "kernels/sort.hpp"
#include "model/counter_generator.hpp"
#include "model/key_order.hpp"
#include "proptests/live_case.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::proptests {

namespace {

/// As the user gave them.
struct ConformanceOptions {
    double seconds = 60;
    std::uint64_t runs = 0; ///< 0 = until the time is over
    std::uint64_t seed = 1;
    std::uint32_t virtual_gpus = 16;
    std::uint64_t keys_max = 20'000;
    std::filesystem::path save = "counterexamples";
    std::optional<std::filesystem::path> replay;
};

kernels::SortOptions sort_options(LiveCase const& live_case) {
    kernels::SortOptions options;
    options.key_type = live_case.config.key_type;
    options.direction = live_case.config.direction;
    options.value_type = live_case.config.value_type;
    options.digit_bits = live_case.config.digit_bits;
    options.tolerance_ppm = live_case.config.tolerance_ppm;
    options.fuse_ppm = live_case.config.fuse_ppm;
    options.variant = kernels::parse_variant(live_case.variant).value();
    options.devices = live_case.devices;
    return options;
}

template <class Word>
std::vector<Word> raw_keys(LiveCase const& live_case) {
    std::vector<Word> words(live_case.images.size());
    std::ranges::transform(live_case.images, words.begin(), [](std::uint64_t image) {
        return static_cast<Word>(image);
    });
    model::to_keys(live_case.config.key_type, live_case.config.direction, std::span<Word>(words));
    return words;
}

/// Values of the configured width: the keys' indices in the input.
std::vector<std::byte> packed_indices(std::size_t count, ValueType type) {
    std::size_t const width = value_size_bytes(type);
    std::vector<std::byte> bytes(count * width);
    for (std::uint64_t i = 0; i < count && width > 0; ++i) {
        std::memcpy(bytes.data() + i * width, &i, width); // little-endian: the low bytes
    }
    return bytes;
}

std::vector<std::uint64_t> unpacked(std::vector<std::byte> const& bytes, ValueType type) {
    std::size_t const width = value_size_bytes(type);
    std::vector<std::uint64_t> values;
    for (std::size_t at = 0; width > 0 && at < bytes.size(); at += width) {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + at, width);
        values.push_back(value);
    }
    return values;
}

/// Sorts a case and compares everything. \returns what is wrong
template <class Word>
std::optional<std::string>
sort_and_check(kernels::Sorter& sorter, LiveCase const& live_case, conformance::RecordedRun* run) {
    std::vector<Word> words = raw_keys<Word>(live_case);
    ValueType const value_type = live_case.config.value_type;
    std::vector<std::byte> values = packed_indices(words.size(), value_type);
    conformance::RecordedRunSink sink("live");
    sink.write(sorter.describe(words.size()));
    auto const report = sorter.sort(words.data(),
                                    values.empty() ? nullptr : values.data(),
                                    words.size(),
                                    kernels::PhaseTiming::off,
                                    &sink);
    if (!report) {
        return "the sort refused: " + report.error().message;
    }
    model::to_images(live_case.config.key_type,
                     live_case.config.direction,
                     ZeroOrder::total,
                     std::span<Word>(words));
    LiveOutcome const outcome{
        sink.run(), {words.begin(), words.end()}, unpacked(values, value_type)};
    if (run != nullptr) {
        *run = sink.run();
    }
    if (auto problem = check_outcome(live_case, outcome)) {
        return problem;
    }
    // The untraced path differs (copies and sorts overlap): its output has to be right as well.
    std::vector<Word> again = raw_keys<Word>(live_case);
    std::vector<std::byte> values_again = packed_indices(again.size(), value_type);
    auto const untraced = sorter.sort(
        again.data(), values_again.empty() ? nullptr : values_again.data(), again.size());
    if (!untraced) {
        return "the sort without a trace refused: " + untraced.error().message;
    }
    model::to_images(live_case.config.key_type,
                     live_case.config.direction,
                     ZeroOrder::total,
                     std::span<Word>(again));
    if (again != words || values_again != values) {
        return "the same sort without a trace gives another output";
    }
    return std::nullopt;
}

std::optional<std::string> check_with(kernels::Sorter& sorter, LiveCase const& live_case) {
    return key_bits(live_case.config.key_type) == 32
               ? sort_and_check<std::uint32_t>(sorter, live_case, nullptr)
               : sort_and_check<std::uint64_t>(sorter, live_case, nullptr);
}

/// Checks a case with a sorter of its own.
std::optional<std::string> check_alone(LiveCase const& live_case) {
    auto sorter = kernels::Sorter::create(sort_options(live_case),
                                          std::max<std::uint64_t>(1, live_case.images.size()),
                                          kernels::ChunkBuffers::sorter);
    if (!sorter) {
        return "no sorter: " + sorter.error().message;
    }
    return check_with(*sorter, live_case);
}

/// A call that is too large has to be refused with the keys as they were.
std::optional<std::string> check_refusal(kernels::Sorter& sorter) {
    std::vector<std::uint64_t> keys(sorter.key_count_max() + 1, 7);
    std::vector<std::uint64_t> values(keys.size(), 8);
    bool const has_values = sorter.options().value_type != ValueType::none;
    auto const report = sorter.sort(keys.data(), has_values ? values.data() : nullptr, keys.size());
    bool const intact = std::ranges::all_of(keys, [](std::uint64_t key) { return key == 7; }) &&
                        std::ranges::all_of(values, [](std::uint64_t value) { return value == 8; });
    if (report || !intact || report.error().input != kernels::InputState::intact) {
        return "a call of more keys than the sorter was made for was not refused cleanly";
    }
    return std::nullopt;
}

/// Sorts of one sorter, in their order.
using Session = std::vector<LiveCase>;

struct Failure {
    std::string problem;
    Session session; ///< shrunk; the last case is the one that fails
};

/// Runs a session; says what is wrong with its last case, or with any before it.
std::optional<Failure> run_session(Session const& session) {
    std::uint64_t capacity = 1;
    for (LiveCase const& live_case : session) {
        capacity = std::max<std::uint64_t>(capacity, live_case.images.size());
    }
    auto sorter = kernels::Sorter::create(
        sort_options(session.front()), capacity, kernels::ChunkBuffers::sorter);
    if (!sorter) {
        return Failure{"no sorter: " + sorter.error().message, session};
    }
    for (std::size_t i = 0; i < session.size(); ++i) {
        auto problem = check_with(*sorter, session[i]);
        if (!problem && i % 3 == 1) {
            problem = check_refusal(*sorter);
        }
        if (problem) {
            return Failure{
                *problem,
                Session(session.begin(), session.begin() + static_cast<std::ptrdiff_t>(i) + 1)};
        }
    }
    return std::nullopt;
}

/// Smaller in its number of sorts first; a single sort is shrunk in all directions.
Failure shrink(Failure failure) {
    constexpr std::size_t run_count_max = 3'000;
    if (auto const alone = check_alone(failure.session.back())) {
        LiveCase const small = shrink_case(failure.session.back(), check_alone, run_count_max);
        return {check_alone(small).value_or(*alone), {small}};
    }
    for (std::size_t i = 0; i + 1 < failure.session.size();) {
        Session fewer = failure.session;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (auto still = run_session(fewer)) {
            failure = std::move(*still);
        } else {
            ++i;
        }
    }
    return failure;
}

/// A session as lines of cases, and what repeats it.
void save(Failure const& failure, ConformanceOptions const& options, std::string const& program) {
    std::filesystem::create_directories(options.save);
    std::string text;
    for (LiveCase const& live_case : failure.session) {
        text += to_text(live_case) + "\n";
    }
    auto const path =
        options.save / ("live-" + std::to_string(std::hash<std::string>{}(text)) + ".cases.jsonl");
    std::ofstream(path) << text;
    std::cout << "counterexample: " << failure.session.size() << " sort(s), the last of "
              << failure.session.back().images.size() << " keys on "
              << failure.session.back().devices.size() << " GPUs\n  " << failure.problem
              << "\nsaved: " << path.string() << "\nrepeat: " << program << " --replay "
              << path.string() << '\n';
    if (failure.session.back().images.size() <= 64) {
        std::cout << to_text(failure.session.back()) << '\n';
    }
}

Expected<Session> read_session(std::filesystem::path const& path) {
    std::ifstream file(path);
    Session session;
    for (std::string line; std::getline(file, line);) {
        auto live_case = parse_live_case(line, path.string());
        if (!live_case) {
            return tl::unexpected(live_case.error());
        }
        session.push_back(std::move(*live_case));
    }
    if (session.empty()) {
        return tl::unexpected(
            InputError{path.string(), "holds no case", "name a file that was saved"});
    }
    return session;
}

/// The cases of one sorter: the first one draws the configuration, the others only keys.
Session draw_session(rc::Random& random, LiveLimits const& limits) {
    auto const draw = [&random, &limits] {
        // RapidCheck's largest size, so that no range is cut short.
        return any_live_case(limits)(random.split(), 100).value();
    };
    Session session{draw()};
    // A generator that gave a number must not be split any more.
    std::uint64_t const more = random.split().next() % 4;
    for (std::uint64_t i = 0; i < more; ++i) {
        LiveCase next = draw();
        // Keys of another type would be cut; the images of a case fit its own width.
        bool const fits =
            key_bits(next.config.key_type) <= key_bits(session.front().config.key_type);
        if (!fits) {
            continue;
        }
        LiveCase reused = session.front();
        reused.images = std::move(next.images);
        reused.config.key_count = reused.images.size();
        session.push_back(std::move(reused));
    }
    return session;
}

/// What was run, for the summary.
struct Tally {
    std::uint64_t sorts = 0;
    std::uint64_t sessions = 0;
    std::map<std::string, std::uint64_t> variants;
    std::map<std::size_t, std::uint64_t> gpu_counts;
    std::uint64_t keys = 0;

    void add(Session const& session) {
        ++sessions;
        for (LiveCase const& live_case : session) {
            ++sorts;
            ++variants[live_case.variant];
            ++gpu_counts[live_case.devices.size()];
            keys += live_case.images.size();
        }
    }
};

void print_summary(Tally const& tally, double seconds) {
    std::cout << tally.sorts << " sorts (each also without a trace) by " << tally.sessions
              << " sorters in " << seconds << " s, " << tally.keys << " keys\nvariants:";
    for (auto const& [variant, count] : tally.variants) {
        std::cout << ' ' << variant << ' ' << count;
    }
    std::cout << "\nGPUs:";
    for (auto const& [gpus, count] : tally.gpu_counts) {
        std::cout << ' ' << gpus << 'x' << count;
    }
    std::cout << '\n';
}

int run_random(ConformanceOptions const& options, std::string const& program) {
    LiveLimits const limits{
        options.keys_max, options.virtual_gpus, std::max(1, kernels::device_count())};
    std::cout << "seed " << options.seed << ", " << limits.device_count << " device(s), up to "
              << limits.gpu_count_max << " GPUs of a sort, up to " << options.keys_max
              << " keys (one in 16: 64 times as many)\n"
              << std::flush;
    rc::Random random(options.seed);
    Tally tally;
    auto const start = std::chrono::steady_clock::now();
    auto const elapsed = [start] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    while (options.runs > 0 ? tally.sorts < options.runs : elapsed() < options.seconds) {
        Session const session = draw_session(random, limits);
        tally.add(session);
        if (auto failure = run_session(session)) {
            std::cout << "difference after " << tally.sorts << " sorts, " << elapsed()
                      << " s: " << failure->problem << "\nshrinking ...\n"
                      << std::flush;
            save(shrink(std::move(*failure)), options, program);
            print_summary(tally, elapsed());
            return EXIT_FAILURE;
        }
    }
    print_summary(tally, elapsed());
    std::cout << "no difference\n";
    return EXIT_SUCCESS;
}

constexpr int could_not_run = 2;

int run_replay(ConformanceOptions const& options) {
    auto const session = read_session(*options.replay);
    if (!session) {
        std::cerr << session.error().message() << '\n';
        return could_not_run;
    }
    auto const failure = run_session(*session);
    std::cout << (failure ? failure->problem : "no difference") << '\n';
    return failure ? EXIT_FAILURE : EXIT_SUCCESS;
}

constexpr std::string_view usage =
    "usage: keyswap_conformance [--seconds S] [--runs N] [--seed X] [--virtual-gpus G]\n"
    "                           [--keys-max N] [--save FOLDER] [--replay FILE]\n"
    "Compares real multi-GPU sorts with the reference model on random inputs.\n"
    "exit: 0 no difference, 1 a difference, which is shrunk and saved, 2 could not run\n";

/// Nothing where the arguments cannot be understood.
std::optional<ConformanceOptions> parse(std::vector<std::string> const& arguments) {
    ConformanceOptions options;
    for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
        std::string const& name = arguments[i];
        std::string const& value = arguments[i + 1];
        try {
            if (name == "--seconds") {
                options.seconds = std::stod(value);
            } else if (name == "--runs") {
                options.runs = std::stoull(value);
            } else if (name == "--seed") {
                options.seed = std::stoull(value);
            } else if (name == "--virtual-gpus") {
                options.virtual_gpus =
                    std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::stoul(value)), 1, 64);
            } else if (name == "--keys-max") {
                options.keys_max = std::stoull(value);
            } else if (name == "--save") {
                options.save = value;
            } else if (name == "--replay") {
                options.replay = value;
            } else {
                return std::nullopt;
            }
        } catch (std::exception const&) {
            return std::nullopt;
        }
    }
    return arguments.size() % 2 == 0 ? std::optional(options) : std::nullopt;
}

} // namespace

int conformance_main(std::vector<std::string> const& arguments, std::string const& program) {
    auto const options = parse(arguments);
    if (!options) {
        std::cerr << usage;
        return could_not_run;
    }
    if (kernels::device_count() == 0) {
        std::cerr << "keyswap_conformance: this machine shows no GPU\n";
        return could_not_run;
    }
    return options->replay ? run_replay(*options) : run_random(*options, program);
}

} // namespace keyswap::proptests

int main(int argc, char** argv) {
    return keyswap::proptests::conformance_main({argv + 1, argv + argc}, argv[0]);
}
