#include "proptests/properties/saved_cases.hpp"

#include "proptests/live/live_case.hpp"
#include "traces/errors/try.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace keyswap::proptests {

namespace {

constexpr char const* case_suffix = ".case.json";

std::string file_name(std::string const& property, SortCase const& sort_case) {
    std::uint64_t hash = 0;
    for (char const letter : to_text(sort_case)) {
        hash = mix_bits(hash ^ static_cast<unsigned char>(letter));
    }
    std::ostringstream name;
    for (char const letter : property) {
        name << (std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '-');
    }
    name << '-' << std::hex << std::setw(16) << std::setfill('0') << hash << case_suffix;
    return name.str();
}

} // namespace

Expected<std::vector<SavedCase>> load_cases(std::filesystem::path const& folder) {
    std::vector<SavedCase> cases;
    if (!std::filesystem::is_directory(folder)) {
        return cases;
    }
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.path().string().ends_with(case_suffix)) {
            continue;
        }
        std::ifstream file(entry.path());
        std::stringstream text;
        text << file.rdbuf();
        KEYSWAP_TRY(auto sort_case, parse_sort_case(text.str(), entry.path().string()));
        cases.push_back({entry.path(), std::move(sort_case)});
    }
    std::ranges::sort(cases, {}, &SavedCase::path);
    return cases;
}

Expected<std::filesystem::path> save_case(std::filesystem::path const& folder,
                                          std::string const& property,
                                          SortCase const& sort_case) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::filesystem::path const path = folder / file_name(property, sort_case);
    std::ofstream file(path);
    file << to_text(sort_case) << '\n';
    file.close();
    if (!file) {
        return input_error(
            path.string(), "cannot be written", "set KEYSWAP_COUNTEREXAMPLES to another folder");
    }
    return path;
}

PropertyOutcome check_saved(std::vector<std::filesystem::path> const& folders,
                            CaseCheck const& check) {
    PropertyOutcome outcome;
    for (std::filesystem::path const& folder : folders) {
        auto const cases = load_cases(folder);
        if (!cases) {
            outcome.holds = false;
            outcome.problem = cases.error().message();
            return outcome;
        }
        for (SavedCase const& saved : *cases) {
            if (auto const problem = check(saved.sort_case)) {
                return {false, saved.sort_case, *problem, saved.path};
            }
        }
    }
    return outcome;
}

void shrink_further(PropertyOutcome& outcome, CaseCheck const& check) {
    constexpr std::size_t runs_max = 5'000;
    auto const sort_case_of = [](LiveCase const& live_case) {
        return SortCase{live_case.config, live_case.images};
    };
    LiveCase live_case;
    live_case.config = outcome.counterexample->config;
    live_case.images = outcome.counterexample->images;
    live_case.devices.assign(live_case.config.gpu_count, 0);
    SortCase const small = sort_case_of(shrink_case(
        live_case,
        [&](LiveCase const& candidate) { return check(sort_case_of(candidate)); },
        runs_max));
    // If the check is not reproducible, keep the original case.
    if (auto const problem = check(small)) {
        outcome.counterexample = small;
        outcome.problem = *problem;
    }
}

} // namespace keyswap::proptests
