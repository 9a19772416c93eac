/** Tasks for the yards that no public set of tasks covers. */

export interface WrittenTask {
  text: string
  /** `server/tool`, in the order in which they are called. */
  tools: string[]
  queries: string[]
}

export const SMALL_TASKS: WrittenTask[] = [
  {
    text: "Post a summary of what was said in #releases today to #general.",
    tools: ["slack/slack_list_channels", "slack/slack_get_channel_history", "slack/slack_post_message"],
    queries: ["list slack channels and read history", "post a message to a channel"],
  },
  {
    text: "Answer the last question in #support: look it up on the web first, and reply in its thread.",
    tools: ["slack/slack_get_channel_history", "brave/brave_web_search", "slack/slack_reply_to_thread"],
    queries: ["read channel messages", "search the web", "reply to a thread"],
  },
  {
    text: "Who of our team is named Ada, and what does her profile say?",
    tools: ["slack/slack_get_users", "slack/slack_get_user_profile"],
    queries: ["list users and their profiles"],
  },
  {
    text: "Find a bakery near the office and add a smiley to the message that asked for one.",
    tools: ["brave/brave_local_search", "slack/slack_add_reaction"],
    queries: ["search local businesses", "add a reaction to a message"],
  },
]

export const GITHUB_TASKS: WrittenTask[] = [
  {
    text: "Which open issues of our repository have no answer yet? Comment on the oldest that we are on it.",
    tools: ["github/list_issues", "github/issue_read", "github/add_issue_comment"],
    queries: ["list open issues of a repository", "comment on an issue"],
  },
  {
    text: "Review pull request 42: read its diff and its discussion, and leave an approving review.",
    tools: ["github/pull_request_read", "github/get_file_contents", "github/pull_request_review_write"],
    queries: ["read a pull request and its diff", "submit a pull request review"],
  },
  {
    text: "Make a branch, put a changelog entry on it, and open a pull request.",
    tools: [
      "github/list_commits",
      "github/create_branch",
      "github/create_or_update_file",
      "github/create_pull_request",
    ],
    queries: ["list commits", "create a branch and commit a file", "open a pull request"],
  },
  {
    text: "Find where the retry limit is set in our code, and file an issue that asks to make it configurable.",
    tools: ["github/search_code", "github/get_file_contents", "github/issue_write"],
    queries: ["search code in a repository", "read a file", "create an issue"],
  },
  {
    text: "What changed between the last two releases?",
    tools: ["github/list_releases", "github/list_commits", "github/get_commit"],
    queries: ["list releases", "commits of a repository"],
  },
  {
    text: "Which of my notifications are about pull requests that wait for my review?",
    tools: ["github/get_me", "github/list_notifications", "github/search_pull_requests"],
    queries: ["list my notifications", "search pull requests by reviewer"],
  },
]
