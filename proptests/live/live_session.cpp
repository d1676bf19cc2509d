#include "proptests/live/live_session.hpp"

#include "proptests/live/live_multisplit.hpp"
#include "proptests/live/live_shuffle.hpp"
#include "proptests/live/live_sort.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <fstream>

namespace keyswap::proptests {

Session draw_session(rc::Random& random, LiveLimits const& limits) {
    auto const draw = [&random, &limits] {
        // RapidCheck's maximum size, so that ranges are not truncated.
        return any_live_case(limits)(random.split(), 100).value();
    };
    Session session{draw()};
    // An rc::Random that has produced a number must not be split again.
    std::uint64_t const more = random.split().next() % 4;
    for (std::uint64_t i = 0; i < more; ++i) {
        LiveCase next = draw();
        // Skip images that are wider than the session's keys.
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

namespace {

/// Runs a session on the object that `create` makes for its largest case.
/// \param name name of that object, for messages
template <class Create, class Refuse>
std::optional<Failure> run_with(Session const& session,
                                std::string const& name,
                                Create const& create,
                                Refuse const& check_refused) {
    std::uint64_t capacity = 1;
    for (LiveCase const& live_case : session) {
        capacity = std::max<std::uint64_t>(capacity, live_case.images.size());
    }
    auto made = create(capacity);
    if (!made) {
        return Failure{"no " + name + ": " + made.error().message, session};
    }
    for (std::size_t i = 0; i < session.size(); ++i) {
        auto problem = check_with(*made, session[i]);
        if (!problem && i % 3 == 1) {
            problem = check_refused(*made, capacity);
        }
        if (problem) {
            return Failure{
                *problem,
                Session(session.begin(), session.begin() + static_cast<std::ptrdiff_t>(i) + 1)};
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<Failure> run_session(Session const& session) {
    if (session.front().split && session.front().devices.size() > 1) {
        LiveCase const& first = session.front();
        return run_with(
            session,
            "shuffler",
            [&first](std::uint64_t capacity) {
                return kernels::Shuffler::create(shuffle_options(first),
                                                 chunk_size(first, capacity));
            },
            [&first](kernels::Shuffler& shuffler, std::uint64_t capacity) {
                return check_refusal(shuffler, first, capacity);
            });
    }
    if (session.front().split) {
        return run_with(
            session,
            "splitter",
            [&](std::uint64_t capacity) {
                return kernels::Multisplitter::create(multisplit_options(session.front()),
                                                      capacity);
            },
            [](kernels::Multisplitter& splitter, std::uint64_t capacity) {
                return check_refusal(splitter, capacity);
            });
    }
    return run_with(
        session,
        "sorter",
        [&](std::uint64_t capacity) { return make_sorter(session.front(), capacity); },
        [](LiveSorter& sorter, std::uint64_t /*capacity*/) { return check_refusal(sorter); });
}

Failure shrink_failure(Failure failure) {
    constexpr std::size_t run_count_max = 3'000;
    LiveCase const& last = failure.session.back();
    LiveCheck const check = [](LiveCase const& live_case) {
        return !live_case.split                ? check_alone(live_case)
               : live_case.devices.size() == 1 ? check_split_alone(live_case)
                                               : check_shuffle_alone(live_case);
    };
    if (auto const alone = check(last)) {
        LiveCase const small = shrink_case(last, check, run_count_max);
        return {check(small).value_or(*alone), {small}};
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

std::filesystem::path save_session(Session const& session, std::filesystem::path const& folder) {
    std::filesystem::create_directories(folder);
    std::string text;
    for (LiveCase const& live_case : session) {
        text += to_text(live_case) + "\n";
    }
    auto path =
        folder / ("live-" + std::to_string(std::hash<std::string>{}(text)) + ".cases.jsonl");
    std::ofstream(path) << text;
    return path;
}

Expected<Session> read_session(std::filesystem::path const& path) {
    std::ifstream file(path);
    Session session;
    for (std::string line; std::getline(file, line);) {
        KEYSWAP_TRY(auto live_case, parse_live_case(line, path.string()));
        session.push_back(std::move(live_case));
    }
    if (session.empty()) {
        return tl::unexpected(
            InputError{path.string(), "holds no case", "name a file that was saved"});
    }
    return session;
}

} // namespace keyswap::proptests
