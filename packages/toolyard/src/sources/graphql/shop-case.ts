/** For the tests of GraphQL sources: a small shop that speaks it over HTTP, and writes down what it was asked. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { buildSchema, GraphQLError, graphql } from "graphql"
import type { JsonObject } from "../../model/json.ts"

export const SHOP = `
  """Things that can be found by their id."""
  interface Node { id: ID! }
  scalar Money
  enum Size { SMALL LARGE }
  type Product implements Node {
    id: ID!
    name: String!
    price(currency: String = "EUR"): Money
    size: Size
    old: String @deprecated(reason: "use name")
    secret(key: String!): String
    maker: Maker
    reviews(first: Int): ReviewConnection!
    related: [Product!]
  }
  type Maker implements Node { id: ID! name: String products: [Product!]! address: Address }
  type Address { city: String country: Country }
  type Country { code: String planet: Planet }
  type Planet { name: String }
  type Review { stars: Int text: String }
  type ReviewEdge { cursor: String node: Review }
  type ReviewConnection { edges: [ReviewEdge] pageInfo: PageInfo! totalCount: Int }
  type ProductConnection { nodes: [Product] edges: [ProductEdge] pageInfo: PageInfo! }
  type ProductEdge { node: Product }
  type PageInfo { hasNextPage: Boolean! endCursor: String }
  type Fault { name: Int! message: String }
  union Hit = Product | Maker | Fault
  input Range { min: Float max: Float }
  input Filter { text: String = "x" sizes: [Size!] price: Range weight: Range and: [Filter!] exact: Boolean! }
  input Patch { name: String size: Size tags: [String] }
  input Pick @oneOf { id: ID name: String }
  type Query {
    "A product, by its id."
    product(id: ID!): Product
    products(filter: Filter, first: Int = 10, after: String): ProductConnection!
    pick(by: Pick!): Product
    node(id: ID!): Node
    search(text: String!): [Hit!]!
    count: Int!
    select(select: String): Product
    slow: String
    broken: Product
    partly: Product
    echo(value: Money, list: [Int], size: Size): String
    headers: String
  }
  type Mutation {
    "Changes a product."
    change(id: ID!, patch: Patch!): Product
    count: Int!
  }
  type Subscription { changed: Product }
`
export interface Shop {
  url: string
  /** The documents that came, introspection left out. */
  asked: { query: string; variables: JsonObject; headers: IncomingHttpHeaders }[]
  close(): Promise<void>
}

const MAKER = { __typename: "Maker", id: "m1", name: "Acme", address: { city: "Ulm", country: { code: "DE" } } }
const PRODUCT = { __typename: "Product", id: "p1", name: "Chair", price: 9.5, size: "SMALL", maker: MAKER }

export async function openShop(): Promise<Shop> {
  const schema = buildSchema(SHOP)
  const asked: Shop["asked"] = []
  const page = { hasNextPage: false, endCursor: "e" }
  const rootValue = {
    product: ({ id }: { id: string }) => (id === "none" ? null : { ...PRODUCT, id }),
    products: () => ({ nodes: [PRODUCT], pageInfo: page }),
    pick: () => PRODUCT,
    node: () => MAKER,
    search: () => [PRODUCT, MAKER, { __typename: "Fault", name: 7, message: "hm" }],
    count: 3,
    select: () => PRODUCT,
    slow: () => new Promise(() => {}),
    broken: () => {
      throw new GraphQLError("no such thing", { extensions: { code: "NOT_FOUND" } })
    },
    partly: () => ({
      ...PRODUCT,
      maker: () => {
        throw new Error("the maker is away")
      },
    }),
    echo: (args: JsonObject) => JSON.stringify(args),
    headers: (_args: unknown, headers: IncomingHttpHeaders) => JSON.stringify(headers),
    change: ({ id, patch }: { id: string; patch: JsonObject }) => ({ ...PRODUCT, id, ...patch }),
  }
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const chunk of request) text += chunk
    const { query, variables } = JSON.parse(text)
    if (!query.includes("__schema")) asked.push({ query, variables, headers: request.headers })
    const result = await graphql({
      schema,
      rootValue,
      source: query,
      variableValues: variables,
      contextValue: request.headers,
    })
    response.writeHead(result.data === undefined ? 400 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(result))
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    asked,
    async close() {
      server.closeAllConnections()
      if (server.listening) await new Promise(done => server.close(done))
    },
  }
}
