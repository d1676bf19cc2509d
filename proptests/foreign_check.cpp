#include "proptests/foreign_check.hpp"

#include "model/counter_generator.hpp"
#include "model/key_order.hpp"
#include "traces/digest.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

namespace keyswap::conformance {

namespace {

/// The verdict of one run, and what is known of it.
struct RunResult {
    ChildOutcome end;
    std::vector<VerdictRecord> verdicts;

    [[nodiscard]] bool holds() const {
        return end.end == ChildEnd::returned &&
               std::ranges::all_of(verdicts, [](VerdictRecord const& v) { return v.holds; });
    }
    [[nodiscard]] std::string kind() const {
        if (end.end != ChildEnd::returned) {
            return std::string(to_string(end.end));
        }
        std::string text;
        for (VerdictRecord const& verdict : verdicts) {
            if (!verdict.holds) {
                text += (text.empty() ? "not " : ", not ") + verdict.property;
            }
        }
        return text;
    }
};

/// Keys of one run as they are given to the sort. Nothing here starts a thread, since a child that
/// is forked from a process with threads may not sort with threads of its own.
template <class Key>
std::vector<Key> make_keys(model::KeyGenerator const& generator) {
    std::vector<model::ImageOf<Key>> images(generator.key_count());
    generator.images(0, std::span(images));
    std::vector<Key> keys(images.size());
    std::ranges::transform(
        images, keys.begin(), [](model::ImageOf<Key> image) { return model::key_of<Key>(image); });
    return keys;
}

template <class Key>
std::uint64_t order_of(Key key, ForeignRuns const& runs) {
    return model::canonical_image<Key>(
        model::image_of(key, runs.direction), runs.zero_order, runs.direction);
}

template <class Key>
VerdictRecord check_order(std::span<Key const> output, ForeignRuns const& runs) {
    for (std::size_t i = 1; i < output.size(); ++i) {
        if (order_of(output[i], runs) < order_of(output[i - 1], runs)) {
            return {"sorted",
                    false,
                    "the key at index " + std::to_string(i) + " does not follow its predecessor"};
        }
    }
    return {"sorted", true, {}};
}

template <class Key>
MultisetDigest digest_of_keys(std::span<Key const> keys) {
    MultisetDigest digest;
    for (Key const key : keys) {
        digest += digest_of(model::image_of(key));
    }
    return digest;
}

/// Values are input indices: each once, with its own key, ascending where keys are equal.
template <class Key>
std::vector<VerdictRecord> check_values(std::span<Key const> input,
                                        std::span<Key const> output,
                                        std::vector<std::uint64_t> const& values,
                                        ForeignRuns const& runs) {
    VerdictRecord pairs{"pairs", true, {}};
    VerdictRecord stable{"stable", true, {}};
    std::vector<bool> seen(input.size(), false);
    for (std::size_t i = 0; i < output.size(); ++i) {
        std::uint64_t const value = values[i];
        bool const right = value < input.size() && !seen[value] &&
                           model::image_of(input[value]) == model::image_of(output[i]);
        if (!right) {
            return {{"pairs",
                     false,
                     "the value at index " + std::to_string(i) + ", " + std::to_string(value) +
                         ", is not that of its key"}};
        }
        seen[value] = true;
        bool const tie = i > 0 && order_of(output[i], runs) == order_of(output[i - 1], runs);
        if (tie && value < values[i - 1] && stable.holds) {
            stable = {"stable",
                      false,
                      "equal keys at index " + std::to_string(i) + " are not in input order"};
        }
    }
    return runs.stability == Stability::stable ? std::vector{pairs, stable} : std::vector{pairs};
}

std::vector<std::uint64_t> values_of(ForeignMemory const& memory) {
    std::vector<std::uint64_t> values(memory.value_bytes == 0 ? 0 : memory.key_count);
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        std::memcpy(&values[i],
                    memory.values.bytes().data() + i * memory.value_bytes,
                    memory.value_bytes); // little-endian: the low bytes
    }
    return values;
}

void write_file(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

template <class Key>
Expected<RunResult> run_library_once(ForeignRuns const& runs, std::vector<Key> const& keys) {
    std::uint64_t const value_bytes = value_size_bytes(runs.value_type);
    auto key_memory = GuardedMemory::allocate(keys.size() * sizeof(Key));
    auto value_memory = GuardedMemory::allocate(keys.size() * value_bytes);
    if (!key_memory || !value_memory) {
        return tl::unexpected(!key_memory ? key_memory.error() : value_memory.error());
    }
    ForeignMemory const memory{std::move(*key_memory),
                               std::move(*value_memory),
                               model::key_type_of<Key>,
                               keys.size(),
                               value_bytes};
    std::ranges::copy(std::as_bytes(std::span(keys)), memory.keys.bytes().begin());
    for (std::uint64_t i = 0; i < keys.size() && value_bytes > 0; ++i) {
        std::memcpy(memory.values.bytes().data() + i * value_bytes, &i, value_bytes);
    }
    RunResult result{run_library(runs.library, runs.function, memory, runs.timeout), {}};
    std::vector<Key> output(keys.size());
    if (!keys.empty()) {
        std::memcpy(output.data(), memory.keys.bytes().data(), memory.keys.bytes().size());
    }
    if (result.end.end == ChildEnd::returned) {
        std::span<Key const> const in(keys);
        std::span<Key const> const out(output);
        result.verdicts.push_back(check_order(out, runs));
        bool const same = digest_of_keys(in) == digest_of_keys(out);
        result.verdicts.push_back(
            {"permutation", same, same ? "" : "keys were lost, doubled or changed"});
        if (value_bytes > 0) {
            auto const of_values = check_values(in, out, values_of(memory), runs);
            result.verdicts.insert(result.verdicts.end(), of_values.begin(), of_values.end());
        }
    }
    if (!result.holds()) {
        write_file(runs.folder / "output.raw", std::as_bytes(std::span(output)));
    }
    return result;
}

model::OutputCheckOptions check_options(ForeignRuns const& runs) {
    model::OutputCheckOptions options;
    options.input = {model::KeyFileFormat::raw, runs.keys.key_type};
    options.output = options.input;
    options.direction = runs.direction;
    options.zero_order = runs.zero_order;
    return options;
}

std::string with_files(std::string command, std::filesystem::path const& folder) {
    for (auto const& [word, file] : {std::pair<std::string, std::string>{"{input}", "input.raw"},
                                     {"{output}", "output.raw"}}) {
        for (auto at = command.find(word); at != std::string::npos; at = command.find(word)) {
            command.replace(at, word.size(), "'" + (folder / file).string() + "'");
        }
    }
    return command;
}

Expected<RunResult> run_command_once(ForeignRuns const& runs) {
    std::error_code ignored;
    std::filesystem::remove(runs.folder / "output.raw", ignored);
    RunResult result{run_command(with_files(runs.command, runs.folder), runs.timeout), {}};
    if (result.end.end != ChildEnd::returned) {
        return result;
    }
    auto const check = model::check_output(
        runs.folder / "input.raw", runs.folder / "output.raw", check_options(runs));
    if (!check) { // no output, or one that is no file of keys
        result.verdicts.push_back({"output", false, check.error().message()});
        return result;
    }
    result.verdicts.push_back({"sorted", check->sorted(), {}});
    result.verdicts.push_back({"permutation", check->permutation(), {}});
    return result;
}

/// The diagnosis of the files in the folder, which are kept under the seed's name.
ForeignFailure failure_of(ForeignRuns const& runs, std::uint64_t seed, RunResult const& result) {
    ForeignFailure failure{seed, result.end, {}, result.verdicts, {}, {}};
    auto const keep = [&runs, seed](std::string const& name) {
        std::filesystem::path const kept =
            runs.folder / ("seed-" + std::to_string(seed) + "-" + name);
        std::error_code error;
        std::filesystem::rename(runs.folder / name, kept, error);
        return error ? std::filesystem::path() : kept;
    };
    failure.input = keep("input.raw");
    failure.output = keep("output.raw");
    bool const has_output = result.end.end == ChildEnd::returned && !failure.output.empty();
    if (has_output) {
        if (auto const check =
                model::check_output(failure.input, failure.output, check_options(runs));
            check && !check->holds()) {
            failure.sentences = model::sentences(*check);
        }
    }
    for (VerdictRecord const& verdict : result.verdicts) {
        bool const told = verdict.property == "sorted" || verdict.property == "permutation";
        if (!verdict.holds && !(told && !failure.sentences.empty())) {
            failure.sentences.push_back("Not " + verdict.property + ": " + verdict.detail + ".");
        }
    }
    return failure;
}

Expected<RunResult> run_once(ForeignRuns const& runs, std::uint64_t seed) {
    model::KeyRequest request = runs.keys;
    request.seed = seed;
    auto const generator = model::KeyGenerator::make(request);
    if (!generator) {
        return tl::unexpected(generator.error());
    }
    return model::with_key_type(request.key_type, [&]<class Key>(Key) -> Expected<RunResult> {
        std::vector<Key> const keys = make_keys<Key>(*generator);
        bool const is_library = !runs.library.empty();
        if (!is_library) {
            write_file(runs.folder / "input.raw", std::as_bytes(std::span(keys)));
            return run_command_once(runs);
        }
        auto result = run_library_once(runs, keys);
        if (result && !result->holds()) {
            write_file(runs.folder / "input.raw", std::as_bytes(std::span(keys)));
        }
        return result;
    });
}

} // namespace

Expected<ForeignReport> run_foreign_sort(ForeignRuns const& runs) {
    ForeignReport report;
    std::map<std::string, std::uint64_t> kinds;
    for (; report.run_count < runs.run_count; ++report.run_count) {
        std::uint64_t const seed = runs.keys.seed + report.run_count;
        auto const result = run_once(runs, seed);
        if (!result) {
            return tl::unexpected(result.error());
        }
        if (result->end.end == ChildEnd::not_started) {
            return tl::unexpected(
                InputError{runs.library.empty() ? runs.command : runs.library.string(),
                           result->end.detail,
                           "it needs int " + runs.function + "(void* keys, uint64_t n, ...)"});
        }
        if (!result->holds()) {
            ++report.failure_count;
            ++kinds[result->kind()];
            if (!report.first) {
                report.first = failure_of(runs, seed, *result);
            }
        }
        if (runs.on_run) {
            runs.on_run();
        }
    }
    report.rate_95 = failure_rate_interval(report.failure_count, report.run_count, 0.95);
    report.kinds.assign(kinds.begin(), kinds.end());
    return report;
}

RunHeader header_of(ForeignRuns const& runs) {
    RunHeader header;
    header.program = runs.library.empty() ? runs.command : runs.library.filename().string();
    header.algorithm = "foreign";
    header.key_count = runs.keys.key_count;
    header.gpus = {0};
    header.virtual_gpus = true;
    header.key_type = runs.keys.key_type;
    header.direction = runs.direction;
    header.value_type = runs.value_type;
    header.stability = runs.stability;
    header.zero_order = runs.zero_order;
    header.input.distribution = runs.keys.distribution;
    header.input.parameter = runs.keys.parameter;
    header.input.seed = runs.keys.seed;
    header.input.generator_version = model::generator_version;
    return header;
}

} // namespace keyswap::conformance
