#include "tools/commands/program_run.hpp"

#include <nlohmann/json.hpp>

namespace keyswap::tools {
namespace {

std::vector<std::string> simulation(std::string const& tolerance) {
    return {"simulate",
            "--platform",
            "dgx-a100",
            "--distribution",
            "normal",
            "--keys",
            "1e8",
            "--rate-tolerance",
            tolerance};
}

double last_end_ms(nlohmann::json const& json) {
    double last = 0.0;
    for (auto const& phase : json.at("phases")) {
        last = std::max(last, phase.at("end_ms").get<double>());
    }
    return last;
}

TEST(SimulateCommand, SharedRatingsChangeTheTimeByLittleAndAreSaid) {
    auto exact_arguments = simulation("0");
    exact_arguments.emplace_back("--json");
    auto shared_arguments = simulation("0.01");
    shared_arguments.emplace_back("--json");
    auto const exact = nlohmann::json::parse(run_program(exact_arguments).output);
    auto const shared = nlohmann::json::parse(run_program(shared_arguments).output);
    EXPECT_EQ(exact.at("config").at("rate_tolerance"), 0.0);
    EXPECT_EQ(shared.at("config").at("rate_tolerance"), 0.01);
    EXPECT_NE(last_end_ms(shared), last_end_ms(exact));
    EXPECT_NEAR(last_end_ms(shared) / last_end_ms(exact), 1.0, 0.02);

    EXPECT_EQ(run_program(simulation("0")).output.find("Not exact"), std::string::npos);
    EXPECT_NE(run_program(simulation("0.01")).output.find("Not exact"), std::string::npos);
}

TEST(SimulateCommand, RefusesAToleranceThatIsNone) {
    ProgramRun const refused = run_program(simulation("2"));
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("--rate-tolerance"), std::string::npos) << refused.errors;
}

} // namespace
} // namespace keyswap::tools
