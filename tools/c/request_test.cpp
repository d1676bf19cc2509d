#include "tools/c/handles_test.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

namespace keyswap::c_test {
namespace {

Error run(Request const& request, Result& result) {
    keyswap_result* made = nullptr;
    Error error(keyswap_request_run(request.get(), nullptr, nullptr, &made));
    result.reset(made);
    return error;
}

Request request_of(char const* command, std::vector<std::array<char const*, 2>> const& options) {
    keyswap_request* made = nullptr;
    Error const error(keyswap_request_new(command, &made));
    EXPECT_EQ(message(error), "");
    Request request(made);
    for (auto const& [name, value] : options) {
        EXPECT_EQ(message(Error(keyswap_request_option(made, name, value))), "");
    }
    return request;
}

TEST(KeyswapC, EndsASimulationWhenTheCallerAsks) {
    Request const request = request_of("simulate", {{{"platform", "dgx-a100"}}, {{"keys", "1e9"}}});
    keyswap_result* result = nullptr;
    Error const error(keyswap_request_run(
        request.get(), [](void*, std::uint64_t, std::uint64_t) { return 1; }, nullptr, &result));
    ASSERT_TRUE(error);
    EXPECT_EQ(keyswap_error_kind(error.get()), KEYSWAP_CANCELLED);
}

TEST(KeyswapC, SimulatesAsTheCommandDoes) {
    Request const request =
        request_of("simulate", {{{"platform", "dgx-a100"}}, {{"keys", "1e8"}}, {{"gpus", "0,1"}}});
    Result result;
    ::testing::internal::CaptureStdout();
    ASSERT_EQ(message(run(request, result)), "");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(json(result)["command"], "simulate");
    EXPECT_GT(json(result)["total_ms"].get<double>(), 0.0);
    Result again;
    ASSERT_EQ(message(run(request, again)), "");
    EXPECT_EQ(json(result), json(again));
}

TEST(KeyswapC, VerifiesATrace) {
    Request const request = request_of("verify", {});
    std::string const trace =
        std::string(KEYSWAP_SOURCE_DIR) + "/proptests/recorded/uniform-8.trace.gz";
    EXPECT_EQ(message(Error(keyswap_request_file(request.get(), trace.c_str()))), "");
    Result result;
    ASSERT_EQ(message(run(request, result)), "");
    EXPECT_TRUE(json(result)["holds"]);
    EXPECT_TRUE(holds(result));
}

TEST(KeyswapC, AnswersOtherRequests) {
    for (char const* const command : {"topology list", "topology show", "algorithms"}) {
        Result result;
        EXPECT_EQ(message(run(request_of(command, {}), result)), "") << command;
        EXPECT_EQ(json(result)["command"], command);
    }
}

TEST(KeyswapC, RefusesRequestsInTheWordsOfTheCommand) {
    Result result;
    EXPECT_NE(message(run(request_of("simulate", {{{"platfrom", "ac922"}}}), result))
                  .find("did you mean '--platform'"),
              std::string::npos);
    EXPECT_NE(
        message(run(request_of("simulate", {{{"platform", "no-such"}}, {{"keys", "1"}}}), result))
            .find("no-such"),
        std::string::npos);
    for (char const* const flag : {"help", "version"}) {
        EXPECT_NE(message(run(request_of("simulate", {{{flag, nullptr}}}), result))
                      .find("--help and --version: print text"),
                  std::string::npos);
    }
    EXPECT_NE(message(run(request_of("simulate", {{{"keys", nullptr}}}), result))
                  .find("--keys: 1 required COUNT missing"),
              std::string::npos);
    EXPECT_NE(message(run(request_of("simulate", {{{"keys", nullptr}}, {{"type", "u64"}}}), result))
                  .find("--keys: has no value: '--type=u64' is the next option"),
              std::string::npos);
    keyswap_request* made = nullptr;
    Error const unknown(keyswap_request_new("simulat", &made));
    EXPECT_NE(message(unknown).find("did you mean 'simulate'"), std::string::npos);
    EXPECT_EQ(made, nullptr);
    Request const check = request_of("check", {});
    EXPECT_NE(message(Error(keyswap_request_file(check.get(), "-")))
                  .find("standard input and output belong to your program"),
              std::string::npos);
}

TEST(KeyswapC, ServesSeveralThreadsAtOnce) {
    std::vector<std::jthread> threads;
    std::array<bool, 4> fine{};
    threads.reserve(fine.size());
    for (bool& ok : fine) {
        threads.emplace_back([&ok] {
            keyswap_request* made = nullptr;
            Error const no_error(keyswap_request_new("topology list", &made));
            Request const request(made);
            keyswap_result* result = nullptr;
            Error const error(keyswap_request_run(made, nullptr, nullptr, &result));
            Result const owned(result);
            ok = !no_error && !error;
        });
    }
    threads.clear();
    EXPECT_TRUE(std::ranges::all_of(fine, [](bool ok) { return ok; }));
}

} // namespace
} // namespace keyswap::c_test
